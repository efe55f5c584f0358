import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_OPERATIONS } from './open-operations';

const DOCUMENT = join(__dirname, '../../../../docs/open-operations.md');

describe('open operations', () => {
  it('are listed for people exactly as the gateway answers them', () => {
    const listed = [
      ...readFileSync(DOCUMENT, 'utf8').matchAll(
        /^\| (GET|POST|PUT|PATCH|DELETE) +\| `([^`]+)` +\| (\d+) +\| (.*?) +\|$/gm,
      ),
    ];
    expect(listed.map(([, method, path, status, reason]) => ({ method, path, status, reason }))).toEqual(
      OPEN_OPERATIONS.map(({ method, path, code, reason }) => ({
        method,
        path: `/${path.replace(/:(\w+)/g, '{$1}')}`,
        status: code === 'not-supported' ? '501' : '400',
        reason,
      })),
    );
  });
});
