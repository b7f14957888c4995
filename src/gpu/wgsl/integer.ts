/**
 * The value of an integer expression as WGSL writes sizes: numbers, names, + − * / % and parentheses. `lookUp` gives the value of a
 * name, itself an expression, or undefined. NaN for any other text.
 */
export function integerOf(text: string, lookUp: (name: string) => string | number | undefined): number {
  const words = text.match(/[A-Za-z_]\w*|\d\w*|\S/g) ?? [];
  let at = 0;
  const sum = (): number => {
    let value = product();
    while (words[at] === "+" || words[at] === "-") value += words[at++] === "+" ? product() : -product();
    return value;
  };
  const product = (): number => {
    let value = factor();
    while (words[at] === "*" || words[at] === "/" || words[at] === "%") {
      const operator = words[at++];
      const right = factor();
      if (operator === "*") value *= right;
      else value = operator === "/" ? Math.trunc(value / right) : value % right;
    }
    return value;
  };
  const factor = (): number => {
    const word = words[at++] ?? "";
    if (word === "(") {
      const value = sum();
      return words[at++] === ")" ? value : Number.NaN;
    }
    if (/^\d/.test(word)) return Number(word.replace(/[iu]$/, ""));
    const meant = lookUp(word);
    return meant === undefined ? Number.NaN : integerOf(String(meant), lookUp);
  };
  const value = sum();
  return at === words.length && Number.isInteger(value) ? value : Number.NaN;
}
