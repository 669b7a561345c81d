// How texts are found by words.

const folded = text => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").replace(/[\u2010-\u2015]/g, "-").toLowerCase();

/** Tells of texts whether they have all of the words that are asked for, in any order and in any letters. */
export function finder(asked) {
  const words = folded(asked).split(/\s+/).filter(Boolean);
  return text => { const own = folded(text); return words.every(word => own.includes(word)); };
}
