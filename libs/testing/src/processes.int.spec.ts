import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './processes';

describe('a temporary directory', () => {
  it('is created when its path is read, so that a skipped suite leaves none', () => {
    const directory = temporaryDirectory();
    // Deletes nothing, because the path was not read.
    directory.remove();
    const { path } = directory;
    writeFileSync(join(path, 'file'), 'content');
    expect(directory.path).toBe(path);
    directory.remove();
    directory.remove();
    expect(existsSync(path)).toBe(false);
  });
});
