// Sliders and number fields of a filter panel (app/filters.py) and the one string they stand for.
// `NAME` of the panel, Gradio's `element`, `trigger` and `watch` are given. Everything is listened
// to on `element`, whose content may be replaced when another library is shown.

const held = (window.molclipFilters ??= {});

function ranges() {
  return [...element.querySelectorAll('.mc-range')];
}

function parts(range) {
  const of = (type, end) => range.querySelector(`input[type=${type}][data-end=${end}]`);
  return {
    low: { slider: of('range', 'low'), number: of('number', 'low') },
    high: { slider: of('range', 'high'), number: of('number', 'high') },
  };
}

// Bars, track and what a screen reader says follow the numbers.
function paint(range) {
  const { low, high } = parts(range);
  const least = low.number.value === '' ? -Infinity : Number(low.number.value);
  const most = high.number.value === '' ? Infinity : Number(high.number.value);
  for (const bar of range.querySelectorAll('rect')) {
    const at = Number(bar.dataset.at);
    bar.classList.toggle('mc-out', at < least || at > most);
  }
  const span = low.slider.max - low.slider.min;
  const share = (slider) => `${(100 * (slider.value - slider.min)) / span}%`;
  const track = range.querySelector('.mc-sliders i');
  track.style.left = share(low.slider);
  track.style.right = `calc(100% - ${share(high.slider)})`;
  for (const { slider, number } of [low, high]) {
    slider.setAttribute('aria-valuetext', number.value === '' ? 'any' : number.value);
  }
  // Where both thumbs lie at the upper end, the lower one must be on top to be moved at all.
  low.slider.style.zIndex = Number(low.slider.value) > (Number(low.slider.min) + Number(low.slider.max)) / 2 ? 2 : 1;
}

function setSlider(end, { slider, number }) {
  const open = end === 'low' ? slider.min : slider.max;
  slider.value = number.value === '' || Number.isNaN(Number(number.value)) ? open : number.value;
}

function write() {
  const found = [];
  for (const range of ranges()) {
    const { low, high } = parts(range);
    if (low.number.value !== '' || high.number.value !== '') {
      found.push(`${range.dataset.column}:${low.number.value}..${high.number.value}`);
    }
  }
  return found.join(';');
}

function clearable() {
  const button = element.querySelector('[data-clear]');
  if (button) button.disabled = write() === '';
}

function follow() {
  const given = new Map(
    (held[NAME] ?? '').split(';').filter(Boolean).map((part) => {
      const at = part.lastIndexOf(':');
      return [part.slice(0, at), part.slice(at + 1).split('..')];
    }),
  );
  for (const range of ranges()) {
    const [least = '', most = ''] = given.get(range.dataset.column) ?? [];
    const { low, high } = parts(range);
    if (low.number.value !== least) low.number.value = least;
    if (high.number.value !== most) high.number.value = most;
    setSlider('low', low);
    setSlider('high', high);
    paint(range);
  }
  clearable();
}

function commit() {
  const value = write();
  clearable();
  if (value === (held[NAME] ?? '')) return;
  held[NAME] = value;
  trigger('changed', {});
}

element.addEventListener('input', ({ target }) => {
  const range = target.closest('.mc-range');
  if (!range) return;
  const { low, high } = parts(range);
  const end = target.dataset.end;
  const part = end === 'low' ? low : high;
  if (target.type === 'range') {
    // The thumbs do not pass each other; at its own end a thumb sets no bound.
    if (end === 'low') target.value = Math.min(target.value, high.slider.value);
    else target.value = Math.max(target.value, low.slider.value);
    const open = end === 'low' ? target.min : target.max;
    part.number.value = Number(target.value) === Number(open) ? '' : String(Number(Number(target.value).toPrecision(6)));
  } else {
    setSlider(end, part);
  }
  paint(range);
});
element.addEventListener('change', commit);
element.addEventListener('click', ({ target }) => {
  if (!target.closest('[data-clear]')) return;
  for (const range of ranges()) {
    for (const part of Object.values(parts(range))) part.number.value = '';
  }
  const focus = element.querySelector('.mc-range input');
  commit();
  follow();
  focus?.focus();
});

element.closest(`#${NAME}-filters`)?.addEventListener('molclip:follow', follow);
watch('value', follow);
follow();
