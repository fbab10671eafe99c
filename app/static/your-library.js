// A visitor's own file, looked at before it is sent, and the secret of the library made of it.
// `LIMITS` (bytes, suffixes, sentences) and Gradio's `element` and `trigger` are given.

const { field, most, suffixes, kinds, elsewhere } = LIMITS;

function megabytes(size) {
  return (size / 1024 ** 2).toFixed(1);
}

// Why a file is not sent; empty where it may be.
function fault(file) {
  const name = file.name.toLowerCase();
  if (!suffixes.some((suffix) => name.endsWith(suffix))) {
    return [`${file.name} is of a kind this page does not read.`, kinds];
  }
  if (file.size > most) {
    return [
      `${file.name} has ${megabytes(file.size)} MB; this page takes ${most / 1024 ** 2} MB.`,
      `It was not sent. ${elsewhere}`,
    ];
  }
  return file.size === 0 ? [`${file.name} is empty.`, 'Is it the right file?'] : [];
}

function show([title, detail]) {
  const place = document.querySelector('#own-refused');
  if (!place) return;
  place.replaceChildren();
  if (!title) return;
  const box = document.createElement('div');
  box.className = 'mc-message mc-error';
  const strong = document.createElement('strong');
  strong.textContent = title;
  const more = document.createElement('p');
  more.textContent = detail;
  box.append(strong, more);
  place.append(box);
}

function check(event) {
  if (!event.target.closest?.(`#${field}`)) return;
  const files = event.type === 'drop' ? event.dataTransfer?.files : event.target.files;
  if (!files?.length) return;
  const said = fault(files[0]);
  show(said);
  if (!said.length) return;
  // Before anything else hears of the file.
  event.preventDefault();
  event.stopImmediatePropagation();
  if (event.type === 'change') event.target.value = '';
  else event.target.dispatchEvent(new DragEvent('dragleave', { bubbles: true }));
}

if (!window.molclipOwnFile) {
  window.molclipOwnFile = true;
  window.addEventListener('change', check, true);
  window.addEventListener('drop', check, true);
}

// A page that was reloaded asks for its library again.
let secret = null;
try {
  secret = sessionStorage.getItem('molclip-library');
} catch {
  // Storage is turned off; the library is then lost with a reload.
}
if (secret) trigger('open', { secret });
