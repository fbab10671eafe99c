// The browser's half of app/links.py: what the address says goes to the server, and what the
// visitor did goes into the address. `TABS`, the names of the tabs, and Gradio's `trigger` are given.

const kept = /^__/; // Gradio's own keys, such as __theme
const first = !window.molclipLinks;

window.molclipLinks = {
  place: TABS[0],
  states: {},

  address(tab) {
    const query = new URLSearchParams(this.states[tab] ?? [['tab', tab]]);
    for (const [key, value] of new URLSearchParams(location.search)) {
      if (kept.test(key)) query.append(key, value);
    }
    return `${location.pathname}?${query}${location.hash}`;
  },

  // What the fields of a tab hold now; a state too long for an address is not kept.
  remember({ tab, fields, longest, longestValue }, values) {
    const query = [['tab', tab]];
    fields.forEach(({ key, usual }, at) => {
      const value = values[at] ?? '';
      if (JSON.stringify(value) === JSON.stringify(usual ?? '')) return;
      for (const part of Array.isArray(value) ? value : [value]) {
        query.push([key, typeof part === 'boolean' ? String(Number(part)) : String(part)]);
      }
    });
    const short =
      query.every(([, value]) => value.length <= longestValue) &&
      new URLSearchParams(query).toString().length < longest;
    this.states[tab] = short ? query : [['tab', tab]];
    if (tab === this.place) history.replaceState(history.state, '', this.address(tab));
  },

  // Another tab came to the front.
  turn(tab) {
    if (tab === this.place) return;
    this.place = tab;
    history.replaceState(history.state, '', this.address(tab));
  },

  // The server opens what a link asks for.
  follow(query) {
    const given = [...new URLSearchParams(query)].filter(([key]) => !kept.test(key));
    const tab = new Map(given).get('tab');
    this.place = TABS.includes(tab) ? tab : TABS[0];
    this.states[this.place] = [['tab', this.place], ...given.filter(([key]) => key !== 'tab')];
    trigger('open', { query });
  },
};

if (first) {
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href^="?tab="]');
    const plain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (!link || link.target || !plain || event.defaultPrevented) return;
    event.preventDefault();
    const links = window.molclipLinks;
    links.follow(link.getAttribute('href'));
    history.pushState(null, '', links.address(links.place));
    window.scrollTo({ top: 0 });
  });
  document.addEventListener('click', async ({ target }) => {
    const button = target.closest?.('[data-copy-link]');
    if (!button) return;
    let done = true;
    try {
      await navigator.clipboard.writeText(location.href);
    } catch {
      done = false; // no clipboard outside of https and localhost
    }
    const usual = button.textContent;
    button.textContent = done ? 'Link copied' : 'Copy it from the address bar';
    setTimeout(() => { button.textContent = usual; }, 2500);
  });
  window.addEventListener('popstate', () => window.molclipLinks.follow(location.search));
  if (location.search) window.molclipLinks.follow(location.search);
}
