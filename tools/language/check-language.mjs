/**
 * Checks the language of every text that a user or developer reads against `banned-patterns.json`.
 *
 * Sources: the OpenAPI document, Markdown pages, sentences in string literals (errors, event messages, status texts, logs,
 * summaries), test names, and comments. A comment of several lines is one text. A pattern may name the `kinds` of texts
 * (`comment`, `test`, `string`, `page`, `api`) and the `paths` that it applies to. `allowed-texts.json` lists exceptions, each
 * with a reason.
 *
 * Usage: node tools/language/check-language.mjs [path prefix …]
 * Exit code 1 when a text matches a banned pattern.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FINDINGS_SHOWN_MAX = 80;
/** A text with fewer words is a name or a value, not a sentence. */
const SENTENCE_WORDS_MIN = 3;
const OPENAPI = 'docs/api/openapi.json';
/** Pages that define the banned terms, and pages generated from checked sources. */
const SKIPPED = [/^tools\/language\//, /\/gen\//, /^docs\/state-machines\//, /^docs\/api\//, /^tools\/lint-examples\//];

const read = (path) => readFileSync(`${ROOT}/${path}`, 'utf8');
const patterns = JSON.parse(read('tools/language/banned-patterns.json')).map((entry) => ({
  expression: new RegExp(entry.pattern, entry.caseSensitive ? '' : 'i'),
  reason: entry.reason,
  kinds: entry.kinds,
  paths: new RegExp(entry.paths ?? ''),
}));
const allowed = JSON.parse(read('tools/language/allowed-texts.json'));
const prefixes = process.argv.slice(2);

/** One text with its place: file and line. */
function* texts() {
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  for (const file of files) {
    if (prefixes.length > 0 && !prefixes.some((prefix) => file.startsWith(prefix))) continue;
    if (file === OPENAPI) yield* openApiTexts(JSON.parse(read(file)), file, '#');
    if (SKIPPED.some((skipped) => skipped.test(file))) continue;
    if (file.endsWith('.md')) yield* markdownTexts(file);
    else if (/\.(ts|tsx|mjs)$/.test(file)) yield* sourceTexts(file);
    else if (file.endsWith('.proto')) yield* protoTexts(file);
  }
}

function* openApiTexts(node, file, place) {
  for (const [key, value] of Object.entries(node ?? {})) {
    if (typeof value === 'string' && ['summary', 'description', 'title'].includes(key)) {
      yield { file: `${file} ${place}`, kind: 'api', text: value };
    } else if (typeof value === 'object') yield* openApiTexts(value, file, `${place}/${key}`);
  }
}

/** Fenced code and inline code are not checked. */
function* markdownTexts(file) {
  let isCode = false;
  for (const [index, line] of read(file).split('\n').entries()) {
    if (line.startsWith('```')) isCode = !isCode;
    else if (!isCode) yield { file: `${file}:${index + 1}`, kind: 'page', text: withoutCode(line) };
  }
}

function* protoTexts(file) {
  for (const [index, line] of read(file).split('\n').entries()) {
    const comment = /\/\/(.*)/.exec(line)?.[1];
    if (comment) yield { file: `${file}:${index + 1}`, kind: 'comment', text: withoutCode(comment.trim()) };
  }
}

function* sourceTexts(file) {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const place = (position) => `${file}:${source.getLineAndCharacterOfPosition(position).line + 1}`;
  const found = [];
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      const kind = isTestName(node) ? 'test' : 'string';
      if (kind === 'test' || isSentence(node.text))
        found.push({ file: place(node.getStart()), kind, text: withoutCode(node.text) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  const comments = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g;
  const literals = literalRanges(source);
  for (const match of source.text.matchAll(comments)) {
    if (literals.some(([start, end]) => match.index >= start && match.index < end)) continue;
    const lines = match[0].split('\n').map((line) =>
      line
        .replace(/^\s*(\/\*\*?|\*\/?|\/\/)\s?/, '')
        .replace(/\*\/$/, '')
        .trim(),
    );
    found.push({ file: place(match.index), kind: 'comment', text: withoutCode(lines.join(' ').trim()) });
  }
  yield* found;
}

/** The first argument of describe, it or test, or of their `each`. */
function isTestName(node) {
  const literal = ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node) ? node.parent : node;
  const call = ts.isTemplateSpan(literal) ? literal.parent.parent : literal.parent;
  return (
    call !== undefined &&
    ts.isCallExpression(call) &&
    /^(describe|it|test)\b/.test(call.expression.getText().slice(0, 8))
  );
}

function literalRanges(source) {
  const ranges = [];
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isRegularExpressionLiteral(node)) {
      ranges.push([node.getStart(), node.getEnd()]);
    } else ts.forEachChild(node, visit);
  };
  visit(source);
  return ranges;
}

const isSentence = (text) => text.trim().split(/\s+/).length >= SENTENCE_WORDS_MIN && /[a-z]{2}/.test(text);
const withoutCode = (text) => text.replace(/`[^`]*`/g, '`…`').replace(/\]\([^)]*\)/g, ']');

const findings = [];
let count = 0;
for (const { file, kind, text } of texts()) {
  count += 1;
  for (const { expression, reason, kinds, paths } of patterns) {
    if ((kinds && !kinds.includes(kind)) || !paths.test(file)) continue;
    const match = expression.exec(text);
    if (!match) continue;
    if (allowed.some((entry) => file.startsWith(entry.file) && text.includes(entry.text))) continue;
    findings.push(`${file}: "${match[0]}" in "${text.trim().slice(0, 120)}". ${reason}`);
    break;
  }
}
for (const finding of findings.slice(0, FINDINGS_SHOWN_MAX)) console.log(finding);
if (findings.length > FINDINGS_SHOWN_MAX) console.log(`… and ${findings.length - FINDINGS_SHOWN_MAX} more`);
console.log(`${count} texts checked, ${findings.length} with a banned pattern.`);
process.exit(findings.length === 0 ? 0 : 1);
