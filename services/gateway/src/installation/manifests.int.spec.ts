import { IgnitionService } from '@muster/contracts';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument } from '../sample-documents.fixture.spec';

const MANIFESTS = `${API}/v2/clusters/${CLUSTER_ID}/manifests`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const entry = (changes: object = {}) => ({ folder: 'manifests', fileName: 'a.yaml', source: 'user', ...changes });
const stored = { position: 1, revision: 0 };

describe('manifests over REST', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway();
    await gateway.project(1, [clusterDocument()]);
  });
  afterEach(() => gateway.close());

  it('are listed, including those of the service when the query requests them', async () => {
    await gateway.answers(IgnitionService.method.listManifests, ({ includeSystemGenerated }) => ({
      manifests: [entry(), ...(includeSystemGenerated ? [entry({ fileName: 'own.yaml', source: 'system' })] : [])],
    }));
    expect((await gateway.call('GET', MANIFESTS)).body).toEqual([
      { folder: 'manifests', file_name: 'a.yaml', manifest_source: 'user' },
    ]);
    expect((await gateway.call('GET', `${MANIFESTS}?include_system_generated=true`)).body).toHaveLength(2);
  });

  it('are created with 201 in the default folder', async () => {
    await gateway.answers(IgnitionService.method.storeManifest, () => ({ stored, manifest: entry() }));
    const json = { file_name: 'a.yaml', content: `${base64('kind: A\n')}\n` };
    const answer = await gateway.call('POST', MANIFESTS, { json });
    expect([answer.status, answer.body]).toEqual([
      201,
      { folder: 'manifests', file_name: 'a.yaml', manifest_source: 'user' },
    ]);
    expect(gateway.received[0]?.body).toEqual({
      clusterId: CLUSTER_ID,
      folder: 'manifests',
      fileName: 'a.yaml',
      content: base64('kind: A\n'),
    });
  });

  it('are created from base64 with any blanks in it', async () => {
    await gateway.answers(IgnitionService.method.storeManifest, () => ({ stored, manifest: entry() }));
    const content = ` ${[...base64('kind: AB\n')].join(' \r\n\t')}\n`;
    expect((await gateway.call('POST', MANIFESTS, { json: { file_name: 'a.yaml', content } })).status).toBe(201);
    expect(gateway.received[0]?.body).toMatchObject({ content: base64('kind: AB\n') });
  });

  it.each([
    [{ file_name: 'a.yaml' }, 'content'],
    [{ file_name: 'a.yaml', content: '  ' }, 'content'],
    [{ file_name: 'a.yaml', content: 'YWI' }, 'content'],
    [{ file_name: 'a.yaml', content: 'Y===' }, 'content'],
    [{ file_name: 'a.yaml', content: 'YQ==YWJj' }, 'content'],
    [{ file_name: 'a.yaml', content: 'YW_j' }, 'content'],
    [{ file_name: 'a.yaml', content: 'canary!' }, 'content'],
    [{ content: 'YQ==' }, 'file_name'],
    [{ file_name: 'a.yaml', content: 'YQ==', folder: 'etc' }, 'folder'],
    [{ file_name: 'a.yaml', content: 'YQ==', name: 'x' }, 'name'],
  ])('are refused with 400 and the name of the field: %j', async (json, field) => {
    const answer = await gateway.call('POST', MANIFESTS, { json });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(field);
    expect(answer.text).not.toContain('canary');
    expect(gateway.received).toEqual([]);
  });

  it('are refused with 413 when the bus accepts smaller messages only', async () => {
    const json = { file_name: 'a.yaml', content: base64('a'.repeat(1_048_576)) };
    const answer = await gateway.call('POST', MANIFESTS, { json });
    expect([answer.status, answer.body]).toEqual([
      413,
      expect.objectContaining({
        reason: expect.stringMatching(
          /at most 1048576 bytes \(max_payload .* The longest text is content with 1398104 /,
        ),
      }),
    ]);
  });

  it('answer 500 with the limit when the bus does not accept the answer', async () => {
    await gateway.answers(IgnitionService.method.readManifest, () => ({ content: base64('a'.repeat(1_048_576)) }));
    const answer = await gateway.call('GET', `${MANIFESTS}/files?file_name=a.yaml`);
    expect([answer.status, answer.body]).toEqual([
      500,
      expect.objectContaining({
        reason: expect.stringMatching(/^The answer to .* at most 1048576 bytes \(max_payload /),
      }),
    ]);
  });

  it('answer 422 to names that are not file names', async () => {
    await gateway.refuses(IgnitionService.method.storeManifest, { code: 'unusable-name', reason: 'no' });
    const json = { file_name: '../a.yaml', content: 'YQ==' };
    expect((await gateway.call('POST', MANIFESTS, { json })).status).toBe(422);
  });

  it('are changed with 200, and fields that are not given stay', async () => {
    await gateway.answers(IgnitionService.method.reviseManifest, () => ({
      stored,
      manifest: entry({ fileName: 'b.yaml' }),
    }));
    const json = { folder: 'manifests', file_name: 'a.yaml', updated_file_name: 'b.yaml' };
    const answer = await gateway.call('PATCH', MANIFESTS, { json });
    expect([answer.status, answer.body]).toMatchObject([200, { file_name: 'b.yaml' }]);
    expect(gateway.received[0]?.body).toEqual({
      clusterId: CLUSTER_ID,
      folder: 'manifests',
      fileName: 'a.yaml',
      newFileName: 'b.yaml',
    });
  });

  it('are removed with 200 and downloaded as a file', async () => {
    await gateway.answers(IgnitionService.method.removeManifest, () => ({ stored }));
    await gateway.answers(IgnitionService.method.readManifest, () => ({ content: base64('kind: A\n') }));
    const removed = await gateway.call('DELETE', `${MANIFESTS}?folder=openshift&file_name=a.yaml`);
    expect([removed.status, removed.text]).toEqual([200, '']);
    const file = await gateway.call('GET', `${MANIFESTS}/files?file_name=a.yaml`);
    expect([file.status, file.text]).toEqual([200, 'kind: A\n']);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="a.yaml"');
    expect((await gateway.call('GET', `${MANIFESTS}/files`)).status).toBe(400);
  });

  it.each([
    ['日本.yaml', '__.yaml', '%E6%97%A5%E6%9C%AC.yaml'],
    ["it's(1)+*.yaml", 'it_s_1___.yaml', 'it%27s%281%29%2B%2A.yaml'],
  ])('are downloaded with their own name: %s', async (name, plain, encoded) => {
    await gateway.answers(IgnitionService.method.readManifest, () => ({ content: base64('kind: A\n') }));
    const file = await gateway.call('GET', `${MANIFESTS}/files?file_name=${encodeURIComponent(name)}`);
    const disposition = `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
    expect(file.headers.get('content-disposition')).toBe(disposition);
  });
});
