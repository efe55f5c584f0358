/** Checks that every path, every relative link and every anchor in the Markdown files exists in this repository. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** A path in backticks, without patterns and placeholders. */
const PATH = /`((?:libs|services|tools|docs|deploy|proto)\/[^`\s*<{…]*)`/g;
const LINK = /\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g;
const HEADING = /^#+ (.*)$/gm;

const textOf = (file) => readFileSync(join(ROOT, file), 'utf8');
/** The anchors of a page, as GitHub makes them from its headings. */
const anchorsOf = (file) =>
  [...textOf(file).matchAll(HEADING)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
const isMissing = ({ path, anchor }) =>
  !existsSync(join(ROOT, path)) || (anchor !== undefined && !anchorsOf(path).includes(anchor));

const files = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
const missing = files.flatMap((file) =>
  textOf(file)
    .split('\n')
    .flatMap((line, index) => {
      const paths = [...line.matchAll(PATH)].map(([, path]) => ({ path }));
      const links = [...line.matchAll(LINK)]
        .filter(([, to]) => !/^[a-z]+:/.test(to))
        .map(([, to, anchor]) => ({ path: to === '' ? file : join(dirname(file), to), anchor }));
      return [...paths, ...links]
        .filter(isMissing)
        .map(({ path, anchor }) => `${file}:${index + 1}: ${anchor ? `${path}#${anchor}` : path} does not exist`);
    }),
);
for (const line of missing) console.log(line);
console.log(`documentation: ${files.length} files checked, ${missing.length} missing paths`);
process.exit(missing.length === 0 ? 0 : 1);
