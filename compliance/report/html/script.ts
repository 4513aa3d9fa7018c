/**
 * What the report does beside being read: the filter of clauses, copying a command, and the choice of light or dark. Without
 * it everything can still be read. `/` goes to the filter, Escape clears it.
 */
export const SCRIPT = `
(() => {
  const root = document.documentElement;
  const byId = id => document.getElementById(id);
  const theme = byId('theme');
  theme.hidden = false;
  theme.addEventListener('click', () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
    theme.textContent = dark ? 'Dark' : 'Light';
  });
  theme.textContent = matchMedia('(prefers-color-scheme: dark)').matches ? 'Light' : 'Dark';

  for (const command of document.querySelectorAll('.command')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      const code = command.querySelector('code');
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = 'Selected';
      }
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
    command.append(button);
  }

  const [text, chapter, status] = [byId('find'), byId('chapter'), byId('shown')];
  const rows = [...document.querySelectorAll('#clauses tbody tr')];
  const words = rows.map(row => row.textContent.toLowerCase());
  const toggles = [...document.querySelectorAll('.filters button[data-verdict]')];
  byId('filters').hidden = false;
  const apply = () => {
    const wanted = toggles.filter(button => button.getAttribute('aria-pressed') === 'true').map(button => button.dataset.verdict);
    const terms = text.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, index) => {
      const fits = (wanted.length === 0 || wanted.includes(row.dataset.verdict))
        && (chapter.value === '' || row.dataset.chapter === chapter.value)
        && terms.every(term => words[index].includes(term));
      row.hidden = !fits;
      if (fits) shown += 1;
    });
    status.textContent = shown + ' of ' + rows.length + ' shown';
    byId('none-left').hidden = shown > 0;
  };
  text.addEventListener('input', apply);
  chapter.addEventListener('change', apply);
  for (const button of toggles) button.addEventListener('click', () => {
    button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'));
    apply();
  });
  document.addEventListener('keydown', event => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); text.focus(); }
    if (event.key === 'Escape' && event.target === text) { text.value = ''; apply(); }
  });
  apply();

  const reveal = () => {
    const target = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.tagName === 'DETAILS') target.open = true;
    if (target.hidden) { text.value = ''; chapter.value = ''; for (const button of toggles) button.setAttribute('aria-pressed', 'false'); apply(); }
    target.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  reveal();
})();
`;
