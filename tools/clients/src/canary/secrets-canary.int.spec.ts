import { randomUUID } from 'node:crypto';
import { eventually } from '@muster/testing';
import { canaryWords } from './canary-secrets.fixture.spec';
import { type CanaryWorld, openCanaryWorld } from './canary-world.fixture.spec';
import { LOG, MANIFEST, PLAIN_ROUTES, SECRET_ROUTES, SHOWN_TO_THE_OWNER, UPLOADS } from './secret-routes.fixture.spec';

const API = '/api/assisted-install/v2';
const OVERLONG_CHARACTERS = 2_200_000;
const TOO_LARGE_BYTES = 5 * 1024 * 1024;
/** Files of an object store: of the service, and of the logs of each cluster. */
const OBJECTS = /^(?:logs\/[^/]+\/)?objects\//;
const TAKES_A_BODY = /^(?:POST|PUT|PATCH) /;

interface Sent {
  readonly route: string;
  readonly status: number;
  readonly text: string;
}

/** A JSON body and the replacement of a secret in it. */
type Json = { readonly [member: string]: unknown };

/** Returns invalid variants of a body that still contain the secrets. */
function spoiled(body: object | string): readonly string[] {
  const text = JSON.stringify(body);
  const cut = text.slice(0, -1);
  if (typeof body === 'string') return [cut, body, JSON.stringify([body]), JSON.stringify({ text: body })];
  const members = Object.entries(body as Json);
  const wrong = members.flatMap(([name, value]) => [
    { ...body, [name]: typeof value === 'object' ? 7 : { wrong: value } },
    { ...body, [name]: [[value]] },
    {
      ...body,
      [name]: typeof value === 'object' ? JSON.stringify(value) : `${String(value)}${'x'.repeat(OVERLONG_CHARACTERS)}`,
    },
    // Values that are not a URL, a pull secret or a document, but contain the secret.
    { ...body, [name]: typeof value === 'string' ? `${value.slice(1)} \n` : [value, 7] },
    { ...body, [`${name}_`]: value },
  ]);
  const padded = { ...body, padding: 'x'.repeat(TOO_LARGE_BYTES) };
  return [
    cut,
    text.slice(1),
    `${cut.slice(0, -2)}\u0000"}`,
    ...[...wrong, [body], { body }, padded].map((one) => JSON.stringify(one)),
  ];
}

describe('secrets in requests', () => {
  const words = canaryWords();
  const ids = { cluster_id: '', infra_env_id: '', host_id: randomUUID() };
  const answers: Sent[] = [];
  let world: CanaryWorld;

  const pathOf = (pattern: string, others: Partial<typeof ids> = {}): string =>
    pattern.replace(/:(\w+)/g, (_, name: string) => ({ ...ids, ...others })[name as keyof typeof ids] ?? 'x');

  /** `route`: `METHOD /pattern`. */
  async function send(
    route: string,
    options: { body?: string | FormData; path?: string; type?: string; headers?: Record<string, string> } = {},
  ): Promise<Sent> {
    const [method = '', pattern = ''] = route.split(' ');
    const { body, type = 'application/json' } = options;
    const headers = { ...(typeof body === 'string' && { 'content-type': type }), ...options.headers };
    const response = await fetch(world.endpoint + (options.path ?? pathOf(pattern)), { method, body, headers });
    const sent = { route, status: response.status, text: Buffer.from(await response.arrayBuffer()).toString() };
    answers.push(sent);
    return sent;
  }

  const accepted = async (route: string): Promise<Sent> => {
    const secret = SECRET_ROUTES.get(route);
    const sent = await send(route, { body: JSON.stringify(secret?.body(words)) });
    if (sent.status >= 300) throw new Error(`${route} answered ${sent.status}: ${sent.text}`);
    return sent;
  };
  const idIn = ({ text }: Sent): string => (JSON.parse(text) as { readonly id: string }).id;

  beforeAll(async () => {
    world = await openCanaryWorld();
    ids.cluster_id = idIn(await accepted(`POST ${API}/clusters`));
    ids.infra_env_id = idIn(await accepted(`POST ${API}/infra-envs`));
    await send(`POST ${API}/infra-envs/:infra_env_id/hosts`, { body: JSON.stringify({ host_id: ids.host_id }) });
    // 1. The valid body.
    for (const route of SECRET_ROUTES.keys()) await accepted(route);
    const form = new FormData();
    for (const [route, what] of UPLOADS) {
      form.append('upfile', new Blob([words.plant(what)]), 'logs.tar.gz');
      await send(route, { path: `${pathOf(route.split(' ')[1] ?? '')}?logs_type=controller`, body: form });
    }
    // 2. Invalid bodies, for resources that do not exist, and with another media type.
    for (const [route, secret] of SECRET_ROUTES) {
      const body = secret.body(words);
      for (const text of spoiled(body)) await send(route, { body: text });
      const nowhere = pathOf(route.split(' ')[1] ?? '', { cluster_id: randomUUID(), infra_env_id: randomUUID() });
      await send(route, { body: JSON.stringify(body), path: nowhere });
      await send(route, { body: JSON.stringify(body), type: 'text/plain' });
    }
    // 3. The secrets as invalid credentials, in every header and parameter.
    for (const route of world.routes) {
      if (route.startsWith('DELETE') || /actions|regenerate/.test(route)) continue;
      const token = words.plant('token');
      const file = route.includes('manifests') ? MANIFEST.file_name : 'discovery.ign';
      const headers = { authorization: `Bearer ${token}`, 'x-secret-key': token, 'image-token': token, cookie: token };
      // Without the parameters too, because queries of the Muster API refuse them.
      for (const query of [`?api_key=${token}&image_token=${token}&file_name=${file}`, ''])
        await send(route, { path: `${pathOf(route.split(' ')[1] ?? '')}${query}`, headers });
    }
    for (const path of [
      'byapikey/TOKEN/4.18/x86_64/full.iso',
      'bytoken/TOKEN/4.18/x86_64/full.iso',
      `images/${ids.infra_env_id}?api_key=TOKEN`,
    ]) {
      const response = await fetch(`${world.imageEndpoint}/${path.replace('TOKEN', words.plant('token'))}`);
      answers.push({ route: 'an image', status: response.status, text: await response.text() });
    }
  }, 120_000);
  afterAll(() => world.close());

  it('are sent to every route with a body', () => {
    const taking = world.routes.filter((route) => TAKES_A_BODY.test(route)).sort();
    const known = [...SECRET_ROUTES.keys(), ...PLAIN_ROUTES, ...UPLOADS.keys()].sort();
    expect(taking).toEqual(known);
  });

  it('are found by the search', async () => {
    const sealed = words.plant('probe');
    expect(words.foundIn(`x${sealed}y`)).toEqual(['probe']);
    expect(words.foundIn(words.base64(`key: ${sealed}`))).toEqual(['probe']);
    expect(world.messages.some(({ subject }) => subject.startsWith('event.v1.'))).toBe(true);
    expect(world.log.length).toBeGreaterThan(0);
    await eventually('the read models show the last change', async () => (await world.readModels()).includes('tags'));
  });

  it('are in no event', async () => {
    expect(words.foundIn(await world.facts())).toEqual([]);
    const live = world.messages.filter(({ subject }) => !/^_INBOX\.|^(?:\w+)\.v1\.(?:\w+)$/.test(subject));
    expect(words.foundIn(JSON.stringify(live))).toEqual([]);
    const events = world.messages.filter(({ subject }) => /^(?:event|projection)\./.test(subject));
    expect(words.foundIn(JSON.stringify(events))).toEqual([]);
  });

  it('are in no read model', async () => {
    expect(words.foundIn(await world.readModels())).toEqual([]);
  });

  it('are in no log line', () => {
    expect(world.log.filter((line) => words.foundIn(line).length > 0)).toEqual([]);
  });

  it('are in no metric', async () => {
    const metrics = await world.metrics();
    expect(metrics).toContain('http_request_duration_seconds');
    expect(words.foundIn(metrics)).toEqual([]);
  });

  it('are in no file unsealed', () => {
    const files = world.files().map(({ name, text }) => [name, words.foundIn(text)] as const);
    expect(files.map(([name]) => name)).toEqual(expect.arrayContaining(['events.sqlite']));
    // The log is stored as its uploader sent it.
    for (const [name, found] of files)
      expect([name, found]).toEqual([name, found.filter((what) => OBJECTS.test(name) && what === LOG)]);
  });

  it('are not sent over the bus, because the services of one process call each other directly', () => {
    const found = world.messages.filter(({ subject, body }) => words.foundIn(subject + body).length > 0);
    expect(world.messages.length).toBeGreaterThan(0);
    expect([...new Set(found.map(({ subject }) => subject))]).toEqual([]);
  });

  it('are in no error response', () => {
    const refusals = answers.filter(({ status }) => status >= 400);
    expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([400, 401, 404, 409, 413, 415, 422]));
    expect(refusals.filter(({ text }) => words.foundIn(text).length > 0)).toEqual([]);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  });

  it('are in no other response, except those that show them to their owner', () => {
    const found = new Map<string, Set<string>>();
    for (const { route, text } of answers)
      for (const what of words.foundIn(text)) found.set(route, (found.get(route) ?? new Set()).add(what));
    const expected = new Map([
      ...[...SECRET_ROUTES].flatMap(([route, { shows }]) => (shows ? [[route, shows] as const] : [])),
      ...SHOWN_TO_THE_OWNER,
    ]);
    const plain = (map: ReadonlyMap<string, Iterable<string>>) =>
      Object.fromEntries([...map].map(([route, what]) => [route, [...what].sort()]));
    expect(plain(found)).toEqual(plain(expected));
  });
});
