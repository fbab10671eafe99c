// What the visitor does with the hits of an own library (app/own_results.py). Gradio's `element`,
// `trigger` and `watch` are given; the content is replaced with every answer.

let focus = '';

function report(act, value) {
  focus = document.activeElement?.closest('#own-results') ? document.activeElement.id : '';
  if (act === 'page') focus = 'own-found';
  trigger('turn', { act, value });
}

element.addEventListener('click', ({ target }) => {
  const more = target.closest('.mc-more');
  if (more) trigger('more', { smiles: more.dataset.smiles });
  const button = target.closest('button[data-act]');
  if (!button) return;
  const { act, value } = button.dataset;
  if (act === 'take') {
    trigger('take', { format: value, scope: element.querySelector('#own-scope').value });
  } else {
    report(act, value);
  }
});
element.addEventListener('change', ({ target }) => {
  if (target.dataset.act) report(target.dataset.act, target.value);
});

// The control that was used is there again in the new content, and so is the focus.
watch('value', () => {
  const next = focus && document.getElementById(focus);
  if (!next) return;
  focus = '';
  next.focus({ preventScroll: next.id !== 'own-found' });
});
