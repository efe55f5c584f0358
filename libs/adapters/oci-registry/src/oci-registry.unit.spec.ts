import type { HttpRequest, HttpResponse, SendHttp } from '@muster/ports';
import { parseImageReference, parseMirrorDocuments, placesOf } from './image-reference';
import { createRegistryClient, parseChallenge, parsePullSecret } from './registry-client';
import { readTar } from './tar-entries';

const { signal } = new AbortController();
const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('image reference', () => {
  const hub = { registry: 'registry-1.docker.io', repository: 'library/busybox', version: 'latest', isByDigest: false };

  it.each([
    ['quay.io/org/name:1.2', { registry: 'quay.io', repository: 'org/name', version: '1.2', isByDigest: false }],
    [`mirror:5000/a/b@${DIGEST}`, { registry: 'mirror:5000', repository: 'a/b', version: DIGEST, isByDigest: true }],
    [`quay.io/a/b:tag@${DIGEST}`, { registry: 'quay.io', repository: 'a/b', version: DIGEST, isByDigest: true }],
    ['localhost/a', { registry: 'localhost', repository: 'a', version: 'latest', isByDigest: false }],
    ['library/busybox', hub],
    ['busybox', hub],
    ['docker.io/busybox', hub],
    ['index.docker.io/library/busybox', hub],
  ])('%s is split into its parts', (text, parts) => {
    expect(parseImageReference(text)).toEqual(parts);
  });

  it.each(['', '-x', 'quay.io/A', 'quay.io/a@sha256:12', 'quay.io/a:b:c', 'quay.io/../etc', 'a@b@c'])(
    '"%s" is refused',
    (text) => {
      expect(() => parseImageReference(text)).toThrow(RangeError);
    },
  );
});

describe('mirrors', () => {
  const text = `
apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
spec:
  imageDigestMirrors:
    - source: quay.io/openshift-release-dev
      mirrors: [mirror.example.com:5000/ocp]
      mirrorSourcePolicy: NeverContactSource
---
kind: ImageContentSourcePolicy
spec:
  repositoryDigestMirrors:
    - source: quay.io
      mirrors: [other.example.com/quay]
---
kind: ConfigMap
`;

  it('are read from IDMS and ICSP documents, and the longest source applies', () => {
    const rules = parseMirrorDocuments(text);
    const places = (image: string) =>
      placesOf(parseImageReference(image), rules).map(({ registry, repository }) => `${registry}/${repository}`);
    expect(places('quay.io/openshift-release-dev/ocp-release:4.18')).toEqual([
      'mirror.example.com:5000/ocp/ocp-release',
    ]);
    expect(places('quay.io/openshift-release-developers/x')).toEqual([
      'other.example.com/quay/openshift-release-developers/x',
      'quay.io/openshift-release-developers/x',
    ]);
    expect(places('registry.redhat.io/a')).toEqual(['registry.redhat.io/a']);
  });

  it('are read from a document with empty members', () => {
    const text = `kind: ImageDigestMirrorSet
spec:
  imageDigestMirrors:
    - source: registry.redhat.io
      mirrors:
    -
    - source: quay.io
      mirrors: [mirror.lan, ]
`;
    expect(parseMirrorDocuments(text)).toEqual([
      { source: 'registry.redhat.io', mirrors: [], neverContactSource: false },
      { source: 'quay.io', mirrors: ['mirror.lan'], neverContactSource: false },
    ]);
  });

  it('are those of all rules with the longest source that matches', () => {
    const rules = [
      { source: '*.redhat.io', mirrors: ['cluster.lan/redhat'] },
      { source: '*.redhat.io', mirrors: ['service.lan'], neverContactSource: true },
      { source: 'registry.redhat.io/ubi9', mirrors: ['ubi.lan/nine'] },
      { source: 'blocked.lan', mirrors: [], neverContactSource: true },
      { source: 'docker.io/library', mirrors: ['hub.lan'] },
    ];
    const places = (image: string) =>
      placesOf(parseImageReference(image), rules).map(({ registry, repository }) => `${registry}/${repository}`);
    expect(places('registry.redhat.io/a/b:1')).toEqual(['cluster.lan/redhat/a/b', 'service.lan/a/b']);
    expect(places('registry.redhat.io/ubi9/x')).toEqual(['ubi.lan/nine/x', 'registry.redhat.io/ubi9/x']);
    expect(places('redhat.io/a')).toEqual(['redhat.io/a']);
    expect(places('quay.io/registry.redhat.io/a')).toEqual(['quay.io/registry.redhat.io/a']);
    expect(places('blocked.lan/a')).toEqual([]);
    for (const name of ['docker.io/library/a', 'library/a'])
      expect(places(name)).toEqual(['hub.lan/a', 'registry-1.docker.io/library/a']);
  });
});

describe('pull secret', () => {
  it('returns the credentials of the longest matching entry', () => {
    const auths = {
      'quay.io': { auth: 'a' },
      'quay.io/org': { auth: 'b' },
      'https://index.docker.io/v1/': { auth: 'c' },
    };
    const secret = parsePullSecret(JSON.stringify({ auths }));
    expect(secret.credentialsFor('quay.io', 'org/name')).toBe('b');
    expect(secret.credentialsFor('quay.io', 'organisation/name')).toBe('a');
    for (const registry of ['index.docker.io', 'docker.io', parseImageReference('library/x').registry])
      expect(secret.credentialsFor(registry, 'x')).toBe('c');
    expect(secret.credentialsFor('example.com', 'x')).toBeUndefined();
  });

  it.each(['no', '{}', '[]'])('is refused when it is %s', (text) => {
    expect(() => parsePullSecret(text)).toThrow(/pull secret/);
  });

  it('parses challenges of both schemes', () => {
    expect(parseChallenge('Bearer realm="https://auth/token",service="quay.io"')).toEqual({
      scheme: 'bearer',
      parameters: { realm: 'https://auth/token', service: 'quay.io' },
    });
    expect(parseChallenge('Basic realm="x"')?.scheme).toBe('basic');
    expect(parseChallenge('Negotiate')).toBeUndefined();
  });

  it.each([
    'Bearer realm="https://auth/token",service="quay.io", Basic realm="the registry, a=b"',
    'Basic realm="the registry, a=b", Bearer realm="https://auth/token", service=quay.io',
  ])('takes the token server of several challenges: %s', (header) => {
    const parameters = { realm: 'https://auth/token', service: 'quay.io' };
    expect(parseChallenge(header)).toEqual({ scheme: 'bearer', parameters });
  });
});

describe('archive of a layer', () => {
  it.each(['L', 'K', 'x', 'g'])('is refused when a header of kind %s would fill the memory', async (kind) => {
    const header = Buffer.alloc(512);
    header.write('77777777777', 124);
    header.write(kind, 156);
    let sent = 0;
    const stream = (async function* () {
      yield header;
      for (; sent < 64; sent += 1) yield Buffer.alloc(1024 * 1024);
    })();
    const read = readTar(
      stream,
      () => 'skip',
      () => Promise.resolve(),
    );
    await expect(read).rejects.toThrow('the archive has a header of 8589934591 bytes');
    expect(sent).toBe(0);
  });
});

describe('request to a registry', () => {
  const answer = (status: number, headers: HttpResponse['headers'] = {}, text = ''): HttpResponse => ({
    status,
    headers,
    body: (async function* () {
      yield Buffer.from(text);
    })(),
  });
  const place = { ...parseImageReference('quay.io/org/name:1'), isByDigest: false };
  const SECRET = JSON.stringify({ auths: { 'quay.io': { auth: 'Y3JlZA==' } } });
  const clientWith = (replies: (request: HttpRequest) => HttpResponse, secret = SECRET) => {
    const requests: HttpRequest[] = [];
    const waits: number[] = [];
    const send: SendHttp = async (request) => {
      requests.push(request);
      return replies(request);
    };
    const client = createRegistryClient({
      send,
      pullSecret: parsePullSecret(secret),
      random: () => 0.5,
      nowMs: () => 0,
      sleep: async (ms) => void waits.push(ms),
    });
    return { requests, waits, get: () => client.get(place, 'manifests/1', {}, signal) };
  };

  it('fetches a token with the credentials, reuses it, and does not send it to the storage', async () => {
    const { get, requests } = clientWith(({ headers, url }) => {
      if (url.startsWith('https://auth.example/token')) return answer(200, {}, '{"token":"T"}');
      if (url.startsWith('https://storage.example/')) return answer(200);
      return headers['authorization'] === 'Bearer T'
        ? answer(307, { location: 'https://storage.example/blob' })
        : answer(401, { 'www-authenticate': 'Bearer realm="https://auth.example/token",service="quay.io"' });
    });
    expect((await get()).status).toBe(200);
    expect((await get()).status).toBe(200);
    expect(requests.map(({ headers, url }) => `${new URL(url).host} ${headers['authorization'] ?? '-'}`)).toEqual([
      'quay.io -',
      'auth.example Basic Y3JlZA==',
      'quay.io Bearer T',
      'storage.example -',
      'quay.io Bearer T',
      'storage.example -',
    ]);
    expect(requests[1]?.url).toBe('https://auth.example/token?service=quay.io&scope=repository%3Aorg%2Fname%3Apull');
  });

  it.each([
    ['http://quay.io/storage', true],
    ['http://storage.example/blob', true],
    ['https://quay.io:8443/storage', false],
  ])('with a redirect to %s sends the credentials nowhere else', async (location, isRefused) => {
    const { get, requests } = clientWith(({ headers, url }) => {
      if (url === location) return answer(200);
      return headers['authorization'] ? answer(307, { location }) : answer(401, { 'www-authenticate': 'Basic' });
    });
    const result = await get().catch((error: Error) => error);
    const followed = requests.filter(({ url }) => !url.startsWith('https://quay.io/'));
    if (isRefused) {
      expect(result).toMatchObject({
        fault: 'failing',
        reason: expect.stringMatching(/redirects to http:.* not https/),
      });
      expect(requests).toHaveLength(2);
    } else {
      expect(result).toMatchObject({ status: 200 });
      expect(followed).toEqual([{ method: 'GET', url: location, headers: {} }]);
    }
  });

  it.each([
    ['credentials', SECRET],
    ['no credentials', ''],
  ])('with %s sends nothing to a token server without TLS', async (_, secret) => {
    const { get, requests } = clientWith(
      () => answer(401, { 'www-authenticate': 'Bearer realm="http://auth.example/token"' }),
      secret,
    );
    await expect(get()).rejects.toMatchObject({
      fault: 'failing',
      reason: 'its token server http://auth.example is not https, so no request is sent to it',
    });
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['in seconds', 429, { 'retry-after': '7' }],
    ['as a date', 503, { 'retry-after': 'Fri, 01 Jan 2021 00:00:07 GMT', date: 'Fri, 01 Jan 2021 00:00:00 GMT' }],
  ])('is repeated after the time that the busy registry requests %s', async (_, status, headers) => {
    let tries = 0;
    const { get, waits } = clientWith(() => (++tries < 3 ? answer(status, headers) : answer(200)));
    expect((await get()).status).toBe(200);
    expect(waits).toEqual([7_000, 7_000]);
  });

  /** Replies of a registry whose token server answers `first` before it issues a token. */
  const withTokenServer = (first: readonly HttpResponse[]) => {
    const answers = [...first];
    return ({ headers, url }: HttpRequest): HttpResponse =>
      url.startsWith('https://quay.io/v2/auth')
        ? (answers.shift() ?? answer(200, {}, '{"access_token":"T"}'))
        : headers['authorization'] === 'Bearer T'
          ? answer(200)
          : answer(401, { 'www-authenticate': 'Bearer realm="https://quay.io/v2/auth"' });
  };

  it.each([
    ['is busy', answer(429, { 'retry-after': '7' }), 7_000],
    ['fails', answer(502), 1_000],
    ['is hidden by a proxy that answers in HTML', answer(200, {}, '<html>'), 1_000],
  ])('is repeated when the token server %s', async (_, failure, wait) => {
    const { get, waits } = clientWith(withTokenServer([failure]));
    expect((await get()).status).toBe(200);
    expect(waits).toEqual([wait]);
  });

  it.each([
    [429, '', 'busy', 'the registry received too many requests (429)'],
    [503, 'maintenance', 'failing', 'the registry failed (503: maintenance)'],
    [200, '<html>', 'unreachable', 'the token server https://quay.io/v2/auth did not answer with JSON'],
    [401, '', 'credentials', 'the registry does not accept the credentials of the pull secret (401)'],
    [200, 'null', 'credentials', 'the registry does not accept the credentials of the pull secret (401)'],
  ])('names the fault when the token server always answers %i "%s"', async (status, text, fault, reason) => {
    const { get } = clientWith(withTokenServer(Array.from({ length: 5 }, () => answer(status, {}, text))));
    await expect(get()).rejects.toMatchObject({ fault, reason });
  });

  it.each([
    [403, /may not read it \(403\)/, 1],
    [404, /does not have it \(404\)/, 1],
    [503, /the registry failed \(503\)/, 5],
  ])('with answer %i throws an error with image, registry and reason', async (status, reason, tries) => {
    const { get, requests } = clientWith(() => answer(status));
    const failure = await get().catch((error: Error) => error);
    expect(String(failure)).toMatch(/The image quay\.io\/org\/name:1 cannot be read from quay\.io/);
    expect(String(failure)).toMatch(reason);
    expect(requests).toHaveLength(tries);
  });
});
