import fc from 'fast-check';
import { parse } from 'yaml';
import { parseAsKubernetes } from '../documents/read-yaml';
import type { ManifestFile } from './manifests-input';
import { applyJsonPatch, PatchError, placeManifests } from './place-manifests';

const file = (fileName: string, content: string, folder: ManifestFile['folder'] = 'manifests'): ManifestFile => ({
  folder,
  fileName,
  content,
});
const SCHEDULER = file('cluster-scheduler-02-config.yml', '{"spec":{"mastersSchedulable":false}}');
const placed = (added: readonly ManifestFile[], generated: readonly ManifestFile[] = [SCHEDULER]) => {
  const result = placeManifests(generated, added, 'abc1234');
  if (result.kind === 'refused') throw new Error(result.reason);
  return new Map(result.files.map(({ folder, fileName, content }) => [`${folder}/${fileName}`, content]));
};

describe('manifests that are added to the generated ones', () => {
  it('replace a manifest with the same name and are added otherwise', () => {
    const files = placed([file(SCHEDULER.fileName, 'mine: 1'), file('b.yaml', 'b: 1', 'openshift')]);
    expect([...files]).toEqual([
      [`manifests/${SCHEDULER.fileName}`, 'mine: 1'],
      ['openshift/b.yaml', 'b: 1'],
    ]);
  });

  it('are omitted when they are empty', () => {
    expect([...placed([file('b.yaml', ' \n')]).keys()]).toEqual([`manifests/${SCHEDULER.fileName}`]);
  });

  it('are split into one file per document', () => {
    const files = placed([file('b.yaml', 'kind: A\n---\n# nothing\n---\nkind: B\n')], []);
    expect([...files]).toEqual([
      ['manifests/b-abc1234-00.yaml', 'kind: A\n'],
      ['manifests/b-abc1234-01.yaml', 'kind: B\n'],
    ]);
  });

  it('replace a manifest with the same name when they are split, too', () => {
    expect([...placed([file(SCHEDULER.fileName, 'kind: A\n---\nkind: B\n')]).keys()]).toEqual([
      'manifests/cluster-scheduler-02-config-abc1234-00.yml',
      'manifests/cluster-scheduler-02-config-abc1234-01.yml',
    ]);
  });

  it('are no patches when their last extension is another one', () => {
    expect([...placed([file('a.yaml.patch.yaml', 'kind: A\n')], []).keys()]).toEqual(['manifests/a.yaml.patch.yaml']);
  });

  it('are refused when they have too many documents together', () => {
    const files = ['a.yaml', 'b.yaml'].map((name) => file(name, 'a: 1\n---\n'.repeat(5_001)));
    const refused = { kind: 'refused', reason: expect.stringContaining('more than 10000 documents') as string };
    expect(placeManifests([], files, 'abc1234')).toEqual(refused);
    expect(placeManifests([], [file('a.yaml', 'a: 1\n---\n'.repeat(100_000))], 'abc1234')).toEqual(refused);
    expect(placeManifests([], [file('a.yaml', 'a: 1\n---\n'.repeat(10_000))], 'abc1234').kind).toBe('placed');
  });

  it('are not split when they contain one document or directives', () => {
    const one = '---\nkind: A\n...\n--- # nothing\n';
    const directives = '%YAML 1.1\n---\nkind: A\n---\nkind: B\n';
    expect([...placed([file('a.yaml', one), file('b.yaml', directives)], []).values()]).toEqual([one, directives]);
  });

  it('keep the text of each document when they are split', () => {
    const documents = [
      'mode: 0644\nflag: "yes"\non: "on" # comment\nbig: "1_000"\nid: 12345678901234567890\n',
      'text: |\n  --- no marker\n  ---\nother: "---"\n---no marker: 1\r\n',
      '- a list\n',
      '--- {kind: Flow}\n',
      '--- |\n text\n',
      '--- # comment\n\nkind: B\n',
      'not: {valid\n',
      'kind: Last',
    ];
    const text = documents.map((one) => (one.startsWith('---') && !one.startsWith('---no') ? one : `---\n${one}`));
    expect([...placed([file('a.yml', `# first\n${text.join('')}`)], []).values()]).toEqual(documents);
  });

  it('do not lose a document or a line when they are split (property)', () => {
    const line = fc.constantFrom('kind: A', 'a: |', ' ---', '--', '----', '# comment', '', '  b', '...', '-- -');
    const document = fc.array(line, { maxLength: 5 }).map((lines) => ['name: x', ...lines, ''].join('\n'));
    fc.assert(
      fc.property(
        fc.array(document, { minLength: 2, maxLength: 5 }),
        fc.constantFrom('---\n', '--- \t\n'),
        (all, marker) => {
          expect([...placed([file('a.yaml', all.join(marker))], []).values()]).toEqual(all);
        },
      ),
    );
  });

  it('are applied as patches in any folder and then removed', () => {
    const patch = '- op: replace\n  path: /spec/mastersSchedulable\n  value: true\n';
    const files = placed([file(`${SCHEDULER.fileName}.patch_ai_set_masters_schedulable`, patch, 'openshift')]);
    expect(JSON.parse(files.get(`manifests/${SCHEDULER.fileName}`) ?? '')).toEqual({
      spec: { mastersSchedulable: true },
    });
    expect(files.size).toBe(1);
  });

  it('are applied as patches in the order of folder and name', () => {
    const set = (value: number) => `- {op: replace, path: /spec/mastersSchedulable, value: ${value}}`;
    const name = `${SCHEDULER.fileName}.patch`;
    const files = placed([
      file(`${name}_1`, set(1)),
      file(`${name}_9`, set(9), 'openshift'),
      file(`${name}_2`, set(2)),
    ]);
    expect(parse(files.get(`manifests/${SCHEDULER.fileName}`) ?? '')).toEqual({ spec: { mastersSchedulable: 2 } });
  });

  it('keep the values that Kubernetes reads when they are patched', () => {
    const target = file(
      'a.yaml',
      `base: &base {mode: 0644}
merged: {<<: *base, size: 1_000}
flag: "yes"
single: 'on'
on: yes
text: "1_000"
octal: "0o17"
date: 2024-01-01
time: 1:30
id: 12345678901234567890
`,
    );
    const patch = '- {op: add, path: /added, value: [0o17, "no", ~]}\n- {op: test, path: /base/mode, value: 420}\n';
    const content = placed([target, file('a.yaml.patch', patch)], []).get('manifests/a.yaml') ?? '';
    const expected = {
      base: { mode: 420 },
      merged: { mode: 420, size: 1000 },
      flag: 'yes',
      single: 'on',
      true: true,
      text: '1_000',
      octal: '0o17',
      date: '2024-01-01',
      time: '1:30',
      id: 12345678901234567890n,
      added: [15, 'no', null],
    };
    expect(parseAsKubernetes(content)).toEqual(expected);
    // The result needs no reader of YAML 1.1.
    expect(parse(content, { intAsBigInt: false })).toEqual({ ...expected, id: Number(expected.id) });
  });

  it.each([
    ['kind: A\n---\n', '- {op: add, path: /b, value: 1}\n'],
    ['---\n---\nkind: A\n', '- {op: add, path: /b, value: 1}\n---\n# end\n'],
  ])('are patched when a marker without a document is in %j or %j', (target, patch) => {
    const files = placed([file('a.yaml', target), file('a.yaml.patch', patch)], []);
    expect(parse(files.get('manifests/a.yaml') ?? '')).toEqual({ kind: 'A', b: 1 });
  });

  it.each(['kind: A\n---\nkind: B\n', '%YAML 1.1\n---\nkind: A\n---\nkind: B\n'])(
    'are refused with the reason when a patch changes one with several documents: %j',
    (content) => {
      const result = placeManifests([], [file('a.yaml', content), file('a.yaml.patch', '[]')], 'abc1234');
      expect(result).toEqual({
        kind: 'refused',
        reason:
          'The manifest manifests/a.yaml.patch cannot be applied to a.yaml: the text has 2 documents. Write each of them to a file of its own.',
      });
    },
  );

  it('contain the text of binary values and no other memory of the service when they are patched', () => {
    const added = [
      file('a.yaml', 'a: !!binary aHVudGVyMg==\nb: !!binary |\n  YWJj\n  ZGVm\n'),
      file('a.yaml.patch', '- {op: add, path: /c, value: !!binary eA==}\n'),
    ];
    expect(placed(added, []).get('manifests/a.yaml')).toBe('a: hunter2\nb: abcdef\nc: x\n');
  });

  it('keep the digits of a JSON manifest when they are patched', () => {
    const patch = file('a.json.patch', '- {op: add, path: /b, value: 9007199254740993}');
    const content = placed([file('a.json', '{"a": 18446744073709551615}'), patch], []).get('manifests/a.json') ?? '';
    expect(content.replaceAll(/\s/g, '')).toBe('{"a":18446744073709551615,"b":9007199254740993}');
  });

  it.each([
    ['none.yaml.patch', '[]', /which does not exist/],
    [
      `${SCHEDULER.fileName}.patch`,
      '- {op: replace, path: /spec/none, value: 1}',
      /operation 1: the document has no value at \/spec\/none/,
    ],
    [`${SCHEDULER.fileName}.patch`, 'op: add', /must be a list/],
    [`${SCHEDULER.fileName}.patch`, '- {op: turn, path: /spec}', /op "turn" is not supported/],
    [`${SCHEDULER.fileName}.patch`, '- [', /cannot be applied/],
  ])('are refused with the reason when a patch cannot be applied (%s: %s)', (name, content, reason) => {
    const result = placeManifests([SCHEDULER], [file(name, content)], 'abc1234');
    expect(result).toEqual({ kind: 'refused', reason: expect.stringMatching(reason) as string });
  });
});

describe('JSON patch', () => {
  it.each([
    [{ a: 1 }, [{ op: 'add', path: '/b', value: [1] }], { a: 1, b: [1] }],
    [{ a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    [{ a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    [{ a: [1, 2] }, [{ op: 'remove', path: '/a/0' }], { a: [2] }],
    [{ a: 1 }, [{ op: 'replace', path: '/a', value: null }], { a: null }],
    [{ a: 1 }, [{ op: 'replace', path: '', value: 2 }], 2],
    [
      { 'a/b': 1, 'c~d': 2 },
      [
        { op: 'remove', path: '/a~1b' },
        { op: 'remove', path: '/c~0d' },
      ],
      {},
    ],
    [{ a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/c' }], { a: {}, c: 1 }],
    [{ a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
    [{ a: { b: [1] } }, [{ op: 'test', path: '/a', value: { b: [1] } }], { a: { b: [1] } }],
  ])('%#: of %j with %j results in %j', (document, patch, expected) => {
    const before = JSON.stringify(document);
    expect(applyJsonPatch(document, patch)).toEqual(expected);
    expect(JSON.stringify(document)).toBe(before);
  });

  it.each([
    [{ a: 1 }, { op: 'test', path: '/a', value: 2 }],
    [{ a: [1] }, { op: 'add', path: '/a/3', value: 2 }],
    [{ a: [1] }, { op: 'add', path: '/a/01', value: 2 }],
    [{ a: 1 }, { op: 'remove', path: '/toString' }],
    [{ a: 1 }, { op: 'add', path: '/b/c', value: 1 }],
    [{ a: 1 }, { op: 'add', path: 'a', value: 1 }],
    [{ a: 1 }, { op: 'move', path: '/b' }],
    [{ a: 1 }, null],
  ])('of %j with %j is refused', (document, operation) => {
    expect(() => applyJsonPatch(document, [operation])).toThrow(PatchError);
  });

  it('copies a limited number of values, because each operation may double the document', () => {
    const copy = { op: 'copy', from: '/a', path: '/a/-' };
    const copies = (count: number) => applyJsonPatch({ a: [1] }, Array(count).fill(copy));
    expect(() => copies(16)).toThrow(/operation \d+: the operations copy more than 10000 values/);
    expect(copies(2)).toEqual({ a: [1, [1], [1, [1]]] });
  });

  it('does not change the prototypes of objects', () => {
    const patched = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: 1 } }]) as object;
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(Object.hasOwn(patched, '__proto__')).toBe(true);
  });
});
