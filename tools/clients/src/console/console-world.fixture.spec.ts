import { createServer } from 'node:net';
import { startEmbedded } from '@muster/service-muster';
import { temporaryDirectory } from '@muster/testing';

export interface ConsoleAnswer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** A running Muster with the requests of the web console of assisted-service. */
export interface ConsoleWorld {
  /** Sends it below `/api/assisted-install/v2`, as the console does: slashes doubled and trailing as it writes them. */
  call<Body>(method: string, path: string, body?: unknown): Promise<ConsoleAnswer<Body>>;
  /** Expects success. */
  get<Body>(path: string): Promise<Body>;
  close(): Promise<void>;
}

/** All services on a real bus and a SQLite file, in this process; images are small ones of a simulation. */
export async function openConsoleWorld(): Promise<ConsoleWorld> {
  const directory = temporaryDirectory();
  const [restPort, imagePort] = [await freePort(), await freePort()];
  const api = `http://127.0.0.1:${restPort}`;
  const silent = (): void => undefined;
  const muster = await startEmbedded(
    {
      MUSTER_DATA_DIRECTORY: directory.path,
      REST_HOST: '127.0.0.1',
      REST_PORT: String(restPort),
      IMAGE_HOST: '127.0.0.1',
      IMAGE_PORT: String(imagePort),
      SERVICE_BASE_URL: api,
      IMAGE_SERVICE_BASE_URL: `http://127.0.0.1:${imagePort}`,
    },
    { log: silent, error: silent, warn: silent },
  );
  const call = async <Body>(method: string, path: string, body?: unknown): Promise<ConsoleAnswer<Body>> => {
    const response = await fetch(`${api}/api/assisted-install/v2${path}`, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      redirect: 'error',
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as Body };
  };
  return {
    call,
    get: async <Body>(path: string) => {
      const { status, body } = await call<Body>('GET', path);
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
      return body;
    },
    close: async () => {
      await muster.close();
      directory.remove();
    },
  };
}

/** Images name both endpoints before anything listens there. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
