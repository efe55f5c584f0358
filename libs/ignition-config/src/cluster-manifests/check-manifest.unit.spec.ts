import fc from 'fast-check';
import { manifestContentFault, manifestNameFault } from './check-manifest';

describe('name of a manifest', () => {
  it.each(['a.json', 'a.yaml', 'a.b.yml', '50-x_y.yaml.patch', 'a.yml.patch_1', 'a.yaml.patchX'])(
    '%s is accepted',
    (name) => {
      expect(manifestNameFault(name)).toBeUndefined();
    },
  );

  it.each([
    ['../a.yaml', 'unusable-name'],
    ['a/b.yaml', 'unusable-name'],
    ['.a.yaml', 'unusable-name'],
    ['.yaml', 'unusable-name'],
    ['a b.yaml', 'unusable-name'],
    ['CON.yaml', 'unusable-name'],
    ['aux.tar.yml', 'unusable-name'],
    ['Lpt1.json', 'unusable-name'],
    ['com¹.yaml', 'unusable-name'],
    ['a:b.yaml', 'unusable-name'],
    ['a?.yaml', 'unusable-name'],
    ['a.yaml.', 'invalid'],
    ['a.txt', 'invalid'],
    ['a', 'invalid'],
    ['a.json.patch', 'invalid'],
    ['a.yaml.patch-1', 'invalid'],
    ['', 'unusable-name'],
  ])('%j is refused (%s)', (name, kind) => {
    expect(manifestNameFault(name)).toMatchObject({ kind });
  });

  it('is refused as missing when it is empty', () => {
    expect(manifestNameFault('')?.reason).toBe('file_name is empty.');
  });
});

describe('text of a manifest', () => {
  it.each([
    ['a.yaml', 'kind: A\n---\nkind: B\n'],
    ['a.yaml', ''],
    ['a.yaml', 'a:\tb # \u0085\r\n'],
    ['a.json', '{"kind":"A", "url": "https:\\/\\/x"}'],
    ['a.yaml', '%YAML 1.1\n%TAG ! tag:example.com,2000:\n---\na: 1\n'],
    // Tabs as white space and as text.
    ['a.yaml', 'a: b\t\nc: {d:\te,\n  \tf: g\n  }\n'],
    ['a.yaml', 'a: |\n  text\n  \tmore\n\nb: |2\n  \ttext\n'],
    ['a.yaml', 'a: one\n \ttwo\nb: "three\n  \tfour"\n'],
    ['a.yaml', 'a: "\\\\/ \\\\\\\\/"\nb: \'\\/\'\n'],
    ['a.yaml.patch', '- op: replace\n  path: /spec\n  value: 1\n'],
    ['a.yaml.patch_1', '- {op: move, path: /a, from: /b}\n- {op: test, path: "", value: 1}\n'],
    // Empty files are omitted.
    ['a.yaml.patch', ' \n'],
  ])('of %s is accepted: %j', (name, content) => {
    expect(manifestContentFault(name, content)).toBeUndefined();
  });

  it.each([
    ['a.json', '{"kind":', 'a.json: The text is not JSON'],
    ['a.json', '{"password": hunter2}', "The text is not JSON: Unexpected token 'h'."],
    ['a.yaml', 'a: [1\nb: 2\n', 'line 2'],
    ['a.yaml.patch', 'spec: 1\n', 'a patch must be a list of operations.'],
    ['a.yaml.patch', '# no operation\n', 'a patch must be a list of operations.'],
    [
      'a.yml.patch',
      '- {op: add, path: /a, value: 1}\n- {op: merge, path: /a}\n',
      'operation 2: op "merge" is not supported.',
    ],
    ['a.yaml.patch_x', '- {op: remove, path: spec}\n', 'operation 1: path must be a JSON pointer'],
    ['a.yaml.patch', '- {op: copy, path: /a}\n', 'operation 1: from must be a JSON pointer'],
    ['a.yaml.patch', '-\n', 'operation 1: path must be a JSON pointer'],
    ['a.yaml.patch', '- {op: add, path: /a, vaule: 1}\n', 'operation 1: value is missing. Write null as value: null.'],
    ['a.yaml.patch', '- {op: add, path: /a, value: ~}\n- {op: replace, path: /a}\n', 'operation 2: value is missing'],
    ['a.yaml.patch', '- {op: test, path: /a}\n', 'operation 1: value is missing'],
    ['a.yaml.patch', '[]\n---\n[]\n', 'The patch cannot be applied: the text has 2 documents.'],
    ['a.yaml', 'a: 1\n---\nb: {\n', 'line 4'],
    ['a.yaml', 'a: 1\nb: !!binary hunter2\n', 'The text is not YAML: !!binary must be base64 (line 2)'],
    ['a.yaml', 'a: 1\n# \u0000\n', 'control character (line 2)'],
    ['a.yaml', 'a: "\u007f"\n', 'control character (line 1)'],
    ['a.yaml', 'a: 1\nb: \uffff\n', 'The text contains the noncharacter U+FFFE or U+FFFF (line 2)'],
    ['a.yaml', 'a: 1\n\t\nb: 2\n', 'The indentation contains a tab, which Kubernetes refuses (line 2)'],
    ['a.yaml', 'a: "1"\n \t\nb: 2\n', 'contains a tab, which Kubernetes refuses (line 2)'],
    ['a.yaml', '\t# text\na: 1\n', 'contains a tab, which Kubernetes refuses (line 1)'],
    ['a.yaml', 'a:\n  # text\n  \t\n  - b\n', 'contains a tab, which Kubernetes refuses (line 3)'],
    ['a.yaml', 'a:\n-\tb\n', 'contains a tab, which Kubernetes refuses (line 2)'],
    ['a.yaml', 'a: {\n  b: c\n  }\n\t\n', 'contains a tab, which Kubernetes refuses (line 4)'],
    ['a.yaml', 'a: |\n  \ttext\n', 'contains a tab, which Kubernetes refuses (line 2)'],
    ['a.yaml', 'a: | # text\n\n \t\n  text\n', 'contains a tab, which Kubernetes refuses (line 3)'],
    ['a.yaml', 'a: 1\nb: "\n  c\\/d"\n', 'The text contains the escape \\/, which Kubernetes refuses (line 3)'],
    [
      'a.yaml',
      '# text\n%YAML 1.2\n---\na: 1\n',
      "Kubernetes does not support the directive '%YAML 1.2'. It supports %YAML 1.1 and %TAG (line 2)",
    ],
    ['a.yaml', '%FOO\n---\na: 1\n', "does not support the directive '%FOO'."],
    [
      'a.yaml',
      'x: &x [1,1]\ny: &y [*x,*x,*x,*x,*x,*x]\nz: &z [*y,*y,*y,*y,*y,*y]\nw: [*z,*z,*z,*z,*z,*z]\n',
      'values follow from aliases',
    ],
  ])('of %s is refused: %j', (name, content, reason) => {
    expect(manifestContentFault(name, content)?.reason).toContain(reason);
  });

  it('is refused when it has too many documents', () => {
    const documents = (count: number) => manifestContentFault('a.yaml', 'a: 1\n---\n'.repeat(count - 1));
    expect(documents(1_000)).toBeUndefined();
    expect(documents(1_001)?.reason).toContain('a.yaml: The text has 1001 documents. Allowed: at most 1000.');
  });

  it('is accepted or refused without throwing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('a.yaml', 'a.json'), (content, name) => {
        const fault = manifestContentFault(name, content);
        expect(fault === undefined || fault.reason.startsWith(name)).toBe(true);
      }),
    );
  });
});
