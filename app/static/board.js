// Opens and closes the drawing board (app/board.py). `PATH` of its page, Gradio's `element` and
// `trigger` are given. The editor is loaded when it is first opened.

const toggle = element.querySelector('.mc-draw');
const board = element.querySelector('.mc-board');
const said = board.querySelector('[role=status]');
const HELP = 'What you draw is written into the structure field.';
let frame = null;

function load() {
  const root = new URL(window.gradio_config?.root ?? '.', location.href).pathname.replace(/\/$/, '');
  frame = document.createElement('iframe');
  frame.title = 'Drawing board';
  frame.src = root + PATH;
  frame.addEventListener('load', () => {
    if (typeof frame.contentWindow.show === 'function') return;
    said.textContent = 'The drawing board is not served here; type a SMILES instead.';
  });
  board.querySelector('.mc-board-frame').append(frame);
}

window.molclipBoard = {
  smiles: '',

  // Called by the editor.
  ready() {
    said.textContent = HELP;
    trigger('opened', {});
    if (document.activeElement === frame) frame.contentWindow.focus();
  },
  drawn(smiles) {
    this.smiles = smiles;
    trigger('drawn', {});
  },

  // Called by the page.
  show(smiles) {
    frame.contentWindow.show(smiles ?? '');
  },

  open() {
    board.hidden = false;
    toggle.setAttribute('aria-expanded', 'true');
    if (!frame) load();
    else if (said.textContent === HELP) trigger('opened', {});
    frame.focus();
  },
  close() {
    board.hidden = true;
    toggle.setAttribute('aria-expanded', 'false');
    toggle.focus();
  },
};

toggle.addEventListener('click', () => {
  if (board.hidden) window.molclipBoard.open();
  else window.molclipBoard.close();
});
board.querySelector('[data-close]').addEventListener('click', () => window.molclipBoard.close());
board.querySelector('[data-search]').addEventListener('click', () => trigger('search', {}));
board.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') window.molclipBoard.close();
});
