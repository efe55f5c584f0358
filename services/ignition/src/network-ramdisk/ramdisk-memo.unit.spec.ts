import { createRamdisk, type RamdiskFile } from '@muster/boot-image';
import { RamdiskMemo, REMEMBERED_RAMDISKS_MAX } from './ramdisk-memo';

const file = (content: string): RamdiskFile => ({ path: '/etc/motd', mode: 0o644, content });

function countedMemo() {
  const packed: string[] = [];
  const memo = new RamdiskMemo((files) => {
    packed.push(JSON.stringify(files));
    return createRamdisk(files);
  });
  return { memo, packed };
}

describe('remembered ramdisks', () => {
  it('are packed once for the same files, and hold what they would hold if they were packed again', () => {
    const { memo, packed } = countedMemo();
    const first = memo.archiveOf([file('one')]);
    expect(memo.archiveOf([file('one')])).toBe(first);
    expect(packed).toHaveLength(1);
    expect(first).toEqual(createRamdisk([file('one')]));
  });

  it.each([
    ['content', { ...file('one'), content: 'two' }],
    ['path', { ...file('one'), path: '/etc/issue' }],
    ['mode', { ...file('one'), mode: 0o600 }],
  ])('are others when the %s of a file is another', (_, other) => {
    const { memo } = countedMemo();
    expect(memo.archiveOf([other])).not.toEqual(memo.archiveOf([file('one')]));
  });

  it('are empty of no files', () => {
    const { memo, packed } = countedMemo();
    expect(memo.archiveOf([])).toHaveLength(0);
    expect(packed).toHaveLength(0);
  });

  it('are forgotten when they were asked for longest ago', () => {
    const { memo, packed } = countedMemo();
    for (let index = 0; index < REMEMBERED_RAMDISKS_MAX; index += 1) memo.archiveOf([file(`${index}`)]);
    memo.archiveOf([file('0')]);
    memo.archiveOf([file('one more')]);
    memo.archiveOf([file('0')]);
    expect(packed).toHaveLength(REMEMBERED_RAMDISKS_MAX + 1);
    memo.archiveOf([file('1')]);
    expect(packed).toHaveLength(REMEMBERED_RAMDISKS_MAX + 2);
  });
});
