
// Gradio writes the note of a checkbox behind its label, where a screen reader does not look for it
// (app/search_form.py): here each box says which note describes it. A closed accordion has no boxes
// yet.

const options = document.querySelector('#search-options') ?? document.body;

function tie() {
  for (const label of options.querySelectorAll('[id^=search-] .checkbox-container')) {
    const box = label.querySelector('input');
    const note = label.nextElementSibling;
    if (!note || box.hasAttribute('aria-describedby')) continue;
    note.id ||= `${label.closest('[id^=search-]').id}-note`;
    box.setAttribute('aria-describedby', note.id);
  }
}

new MutationObserver(tie).observe(options, { childList: true, subtree: true });
tie();
