/** Checks that every path and every relative link in the Markdown files names a file of this repository. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** A path in backticks, without patterns and placeholders. */
const PATH = /`((?:libs|services|tools|docs|deploy|proto)\/[^`\s*<{…]*)`/g;
const LINK = /\]\(([^)#\s]+)(?:#[^)]*)?\)/g;

const files = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
const missing = files.flatMap((file) =>
  readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const paths = [...line.matchAll(PATH)].map(([, path]) => path);
      const links = [...line.matchAll(LINK)].filter(([, to]) => !/^[a-z]+:/.test(to));
      return [...paths, ...links.map(([, to]) => join(dirname(file), to))]
        .filter((path) => !existsSync(join(ROOT, path)))
        .map((path) => `${file}:${index + 1}: ${path} does not exist`);
    }),
);
for (const line of missing) console.log(line);
console.log(`documentation: ${files.length} files checked, ${missing.length} missing paths`);
process.exit(missing.length === 0 ? 0 : 1);
