// A link asks a tab to run (app/links.py): the server writes a new token into this element, which is
// in the tab. A tab is laid out when it first comes to the front, its fields filled; a token may be
// there by then, or come later. Gradio's `props`, `trigger` and `watch` are given.

let done = '';

function run() {
  if (!props.value || props.value === done) return;
  done = props.value;
  // The fields are updated together with this element, but not all before it.
  setTimeout(() => trigger('run', {}));
}

watch('value', run);
run();
