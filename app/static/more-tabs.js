// Gradio's menu of the tabs that a narrow window has no room for (app/more_tabs.py): it says whether
// it is open, Escape closes it, and the focus follows the tab that was chosen into the bar.

const LIST = 'page-tabs-more';
const find = () => document.querySelector('#page-tabs > .tab-wrapper');

function complete(bar) {
  let chosen = null;

  const parts = () => ({
    button: bar.querySelector('.overflow-menu > button'),
    list: bar.querySelector('.overflow-menu > .overflow-dropdown'),
  });

  function tell() {
    const { button, list } = parts();
    if (button && list) {
      const open = String(!list.classList.contains('hide'));
      list.id = LIST;
      button.setAttribute('aria-controls', LIST);
      if (button.getAttribute('aria-expanded') !== open) button.setAttribute('aria-expanded', open);
    }
    const front = chosen && bar.querySelector('[role=tab][aria-selected=true]');
    if (front?.textContent.trim() === chosen) {
      chosen = null;
      front.focus();
    }
  }

  const watched = { childList: true, subtree: true, attributeFilter: ['class', 'aria-selected'] };
  new MutationObserver(tell).observe(bar, watched);
  bar.addEventListener('click', ({ target }) => {
    chosen = target.closest('.overflow-dropdown button')?.textContent.trim() ?? null;
  });
  bar.addEventListener('keydown', ({ key }) => {
    const { button, list } = parts();
    if (key !== 'Escape' || !list || list.classList.contains('hide')) return;
    button.click();
    button.focus();
  });
  tell();
}

if (find()) complete(find());
else {
  // Gradio mounts this before the tabs now and then.
  const waiting = new MutationObserver(() => {
    if (!find()) return;
    waiting.disconnect();
    complete(find());
  });
  waiting.observe(document.body, { childList: true, subtree: true });
}
