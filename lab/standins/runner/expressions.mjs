// The part of GitHub's expression language that an action.yml needs: `${{ github.x }}` in input defaults, and
// the condition of `post-if`. Anything else is an error that says so. Pure.

/** @typedef {string | number | boolean | null | Record<string, unknown>} Value */
/**
 * @typedef {object} Scope
 * @property {Record<string, unknown>} contexts github, strategy, job, runner …, by lower-case name
 * @property {Record<string, (...args: Value[]) => Value>} [functions] by lower-case name
 */

const TOKEN =
  /\s*(?:('(?:[^']|'')*')|(-?\d+(?:\.\d+)?)|(&&|\|\||==|!=|<=|>=|[<>!(),.[\]*])|([A-Za-z_][\w-]*))/y;

/** @param {string} text @returns {{kind: 'string'|'number'|'op'|'name', text: string}[]} */
function tokens(text) {
  const out = [];
  TOKEN.lastIndex = 0;
  while (text.slice(TOKEN.lastIndex).trim() !== '') {
    const at = TOKEN.lastIndex;
    const m = TOKEN.exec(text);
    if (!m) throw new SyntaxError(`cannot read the expression "${text}" at "${text.slice(at).trim()}"`);
    if (m[1] !== undefined) out.push({ kind: 'string', text: m[1].slice(1, -1).replaceAll("''", "'") });
    else if (m[2] !== undefined) out.push({ kind: 'number', text: m[2] });
    else if (m[3] !== undefined) out.push({ kind: 'op', text: m[3] });
    else out.push({ kind: 'name', text: /** @type {string} */ (m[4]) });
  }
  return /** @type {any} */ (out);
}

/** As the expression language turns a value into text. @param {unknown} value */
export function toText(value) {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? (Array.isArray(value) ? 'Array' : 'Object') : String(value);
}
/** @param {unknown} v */
const truthy = (v) => !(v === null || v === undefined || v === false || v === 0 || v === '');
/** @param {unknown} v */
const toNumber = (v) => {
  if (v === null || v === undefined || v === '') return 0;
  if (typeof v === 'boolean') return v ? 1 : 0;
  return typeof v === 'object' ? Number.NaN : Number(v);
};
/**
 * Equality ignores the case of text, and turns values of different types into numbers.
 * @param {unknown} a
 * @param {unknown} b
 */
const equal = (a, b) =>
  typeof a === 'string' && typeof b === 'string'
    ? a.toLowerCase() === b.toLowerCase()
    : toNumber(a) === toNumber(b);

/** @type {Record<string, (...args: any[]) => Value>} */
const BUILT_IN = {
  format: (pattern, ...values) =>
    toText(pattern).replace(/\{\{|\}\}|\{(\d+)\}/g, (m, n) =>
      n === undefined ? m.charAt(0) : toText(values[Number(n)]),
    ),
  contains: (all, part) => toText(all).toLowerCase().includes(toText(part).toLowerCase()),
  startswith: (all, part) => toText(all).toLowerCase().startsWith(toText(part).toLowerCase()),
  endswith: (all, part) => toText(all).toLowerCase().endsWith(toText(part).toLowerCase()),
};

/**
 * Evaluates one expression (the text between `${{` and `}}`).
 * @param {string} text @param {Scope} scope
 * @returns {Value}
 */
export function evaluate(text, scope) {
  const list = tokens(text);
  let at = 0;
  const isOp = (/** @type {string} */ op) => list[at]?.kind === 'op' && list[at]?.text === op;
  const fail = (/** @type {string} */ why) => new Error(`expression "${text.trim()}": ${why}`);
  const take = (/** @type {string} */ op) => {
    if (!isOp(op)) throw fail(`expected "${op}" and found "${list[at]?.text ?? 'the end'}"`);
    at++;
  };

  /** @returns {Value} */
  const or = () => {
    let left = and();
    while (isOp('||')) {
      at++;
      const right = and();
      left = truthy(left) ? left : right;
    }
    return left;
  };
  const and = () => {
    let left = comparison();
    while (isOp('&&')) {
      at++;
      const right = comparison();
      left = truthy(left) ? right : left;
    }
    return left;
  };
  const comparison = () => {
    const left = not();
    const op = list[at]?.kind === 'op' ? list[at]?.text : undefined;
    if (!op || !['==', '!=', '<', '>', '<=', '>='].includes(op)) return left;
    at++;
    const right = not();
    if (op === '==') return equal(left, right);
    if (op === '!=') return !equal(left, right);
    const [a, b] = [toNumber(left), toNumber(right)];
    return op === '<' ? a < b : op === '>' ? a > b : op === '<=' ? a <= b : a >= b;
  };
  /** @returns {Value} */
  const not = () => {
    if (!isOp('!')) return primary();
    at++;
    return !truthy(not());
  };
  /** @returns {Value} */
  const primary = () => {
    const token = list[at++];
    if (!token) throw fail('it ends too early');
    if (token.kind === 'string') return token.text;
    if (token.kind === 'number') return Number(token.text);
    if (token.kind === 'op') {
      if (token.text !== '(') throw fail(`"${token.text}" is not supported there`);
      const inner = or();
      take(')');
      return inner;
    }
    const name = token.text.toLowerCase();
    if (isOp('(')) return call(name, token.text);
    if (name === 'true' || name === 'false') return name === 'true';
    if (name === 'null') return null;
    return property(name);
  };
  /** @param {string} name @param {string} written */
  const call = (name, written) => {
    take('(');
    const args = [];
    while (!isOp(')')) {
      args.push(or());
      if (!isOp(')')) take(',');
    }
    take(')');
    const known = { ...BUILT_IN, ...scope.functions };
    const fn = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!fn)
      throw fail(
        `the function ${written}() is not supported; supported are ${Object.keys(known).join(', ')}`,
      );
    return fn(...args);
  };
  /** @param {string} name */
  const property = (name) => {
    if (!Object.hasOwn(scope.contexts, name))
      throw fail(
        `the context "${name}" is not available here; available are ${Object.keys(scope.contexts).join(', ')}`,
      );
    /** @type {unknown} */
    let value = scope.contexts[name];
    while (isOp('.') || isOp('[')) {
      const bracket = isOp('[');
      at++;
      const key = bracket ? toText(or()) : (list[at]?.kind === 'name' && list[at++]?.text) || '';
      if (bracket) take(']');
      else if (!key) throw fail('a name must follow "."');
      // names in contexts ignore case; a missing one is null, not an error
      const object = value !== null && typeof value === 'object' ? value : {};
      const found = Object.keys(object).find((k) => k.toLowerCase() === key.toLowerCase());
      value = found === undefined ? null : /** @type {any} */ (object)[found];
    }
    return /** @type {Value} */ (value ?? null);
  };

  const value = or();
  if (at < list.length) throw fail(`"${list[at]?.text}" is not supported there`);
  return value;
}

/**
 * Replaces every `${{ … }}` in a text.
 * @param {string} text @param {Scope} scope
 */
export function interpolate(text, scope) {
  return text.replace(/\$\{\{((?:'(?:[^']|'')*'|[^'}]|\}(?!\}))*)\}\}/g, (_all, inner) =>
    toText(evaluate(inner, scope)),
  );
}

/** A condition, with or without `${{ }}` around it. @param {string} text @param {Scope} scope */
export function condition(text, scope) {
  const bare = /^\s*\$\{\{(.*)\}\}\s*$/s.exec(text)?.[1] ?? text;
  return truthy(evaluate(bare, scope));
}
