import { type FileServer, startFileServer } from './file-server.fixture.spec';
import { openHttpByteSource, RemoteClient, RemoteError } from './remote-client';

const FILE = Buffer.from(Array.from({ length: 10_000 }, (_, index) => index % 251));

describe('a file on a server', () => {
  let server: FileServer;
  const client = new RemoteClient({ headers: {}, queryParameters: {} });
  beforeEach(async () => {
    server = await startFileServer();
    server.serve(FILE);
  });
  afterEach(() => server.close());
  afterAll(() => client.close());

  it('returns the requested bytes, in any order and concurrently', async () => {
    const source = await openHttpByteSource(client, server.url);
    const parts = await Promise.all([source.read(9_990, 10), source.read(0, 5_000), source.read(10_000, 0)]);
    expect([source.size, source.version]).toEqual([10_000, '"1"']);
    expect(parts.map((part) => Buffer.from(part))).toEqual([
      FILE.subarray(9_990),
      FILE.subarray(0, 5_000),
      Buffer.alloc(0),
    ]);
  });

  it('is never read from two versions of the file', async () => {
    const source = await openHttpByteSource(client, server.url);
    server.serve(Buffer.alloc(10_000, 'x'), { etag: '"2"' });
    await expect(source.read(0, 10)).rejects.toThrow(/has changed since/);
  });

  it.each([
    ['that does not support ranges', { withRanges: false }, /does not support range requests/],
    ['without this file', { status: 404 }, /answered 404/],
    ['that redirects to another file', { status: 302, location: 'file:///etc/passwd' }, /not allowed/],
  ])('is refused from a server %s', async (_, options, reason) => {
    server.serve(FILE, options);
    await expect(openHttpByteSource(client, server.url)).rejects.toThrow(reason);
  });

  it('fails when the connection is closed early, instead of returning fewer bytes', async () => {
    const source = await openHttpByteSource(client, server.url);
    server.serve(FILE, { cutAfterBytes: 100 });
    await expect(source.read(0, 1_000)).rejects.toThrow();
    await expect(source.read(9_999, 2)).rejects.toThrow(RangeError);
  });

  it('reports the URL that cannot be reached without its query', async () => {
    const error: unknown = await openHttpByteSource(client, 'http://127.0.0.1:1/x.iso?token=canary').catch(
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(RemoteError);
    expect(String(error)).toMatch(/127\.0\.0\.1:1\/x\.iso cannot be reached/);
    expect(String(error)).not.toContain('canary');
  });
});
