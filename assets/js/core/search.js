// Search by words.

const fold = text => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").replace(/[\u2010-\u2015]/g, "-").toLowerCase();

/** Return a function that reports whether a text contains all words of a query, in any order and in either case. */
export function matchWords(query) {
  const words = fold(query).split(/\s+/).filter(Boolean);
  return text => { const folded = fold(text); return words.every(word => folded.includes(word)); };
}
