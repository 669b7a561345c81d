// Search by words.

const fold = text =>
  text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[\u2010-\u2015]/g, "-")
    .toLowerCase();

/** Return a function that reports whether a text contains all words of a query, in any order and in either case. */
export function matchWords(query) {
  const words = fold(query).split(/\s+/).filter(Boolean);
  return text => {
    const folded = fold(text);
    return words.every(word => folded.includes(word));
  };
}

/**
 * Return the entries {key, title, words, group, sought} with all words of a query: first those whose key or title equals it, then
 * those whose key or title begins with it, then those that show its words. Within each of these, the order stays.
 */
export function findEntries(query, entries) {
  const text = query.trim().toLowerCase(),
    matches = matchWords(text),
    shown = ({title, words, group}) => `${title} ${words} ${group}`;
  function rank(entry) {
    const names = [entry.key, entry.title].map(name => name.toLowerCase());
    return names.includes(text)
      ? 0
      : names.some(name => name.startsWith(text))
        ? 1
        : matches(shown(entry))
          ? 2
          : 3;
  }
  return text
    ? entries
        .filter(entry => matches(`${shown(entry)} ${entry.sought}`))
        .sort((a, b) => rank(a) - rank(b))
    : entries;
}
