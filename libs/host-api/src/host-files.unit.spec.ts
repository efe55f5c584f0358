import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { createTarGz } from './host-files';

const MEBIBYTE = 1024 ** 2;

describe('an archive of logs', () => {
  const read = (archive: Buffer, name: string): Buffer =>
    execFileSync('tar', ['-xzOf', '-', name], { input: archive, maxBuffer: 64 * MEBIBYTE });

  it('contains texts and bytes under their names', async () => {
    const bytes = randomBytes(1_000);
    const archive = await createTarGz({ 'folder/text.logs': 'zwölf\n', 'empty.logs': '', 'bundle.tar.gz': bytes });
    expect(read(archive, 'folder/text.logs').toString()).toBe('zwölf\n');
    expect(read(archive, 'empty.logs')).toHaveLength(0);
    expect(read(archive, 'bundle.tar.gz')).toEqual(bytes);
  });

  it('leaves time for other work while it is compressed', async () => {
    const bytes = randomBytes(4 * MEBIBYTE);
    let [turns, isDone] = [0, false];
    const others = (async () => {
      while (!isDone) {
        await turn();
        turns += 1;
      }
    })();
    const archive = await createTarGz({ 'a.logs': bytes, 'b.logs': bytes });
    const meanwhile = turns;
    isDone = true;
    await others;
    expect(meanwhile).toBeGreaterThan(10);
    expect(read(archive, 'b.logs').equals(bytes)).toBe(true);
  });
});
