import { randomUUID } from 'node:crypto';

/** The members of v2 objects that the demo uses. */
export interface ClusterView {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly status_info: string;
  readonly progress?: { readonly total_percentage?: number };
  readonly hosts: readonly HostView[];
}

export interface HostView {
  readonly id: string;
  readonly infra_env_id: string;
  readonly status: string;
  readonly status_info: string;
  readonly role: string;
  readonly suggested_role?: string;
  readonly bootstrap?: boolean;
  readonly requested_hostname?: string;
  readonly inventory?: string;
  readonly validations_info?: string;
  readonly progress?: { readonly current_stage?: string; readonly installation_percentage?: number };
}

export interface EventView {
  readonly name: string;
  readonly severity: string;
  readonly message: string;
  readonly event_time: string;
}

/** The service refused the request. */
export class RequestRefused extends Error {
  constructor(
    what: string,
    readonly status: number,
    body: string,
  ) {
    super(`${what}: ${status} ${body.slice(0, 500)}`);
    this.name = 'RequestRefused';
  }
}

const CONTRACT_API = '/api/assisted-install/v2';
const MUSTER_API = '/api/muster/v1';

const RETRY_MS = 200;
/** Milliseconds to wait for a service that is restarting. */
const TIMEOUT_MS = 60_000;

/**
 * A client of the v2 API. It waits for an unavailable service and throws when a request is refused. All attempts of a
 * write have one `Idempotency-Key`, because the service may have stored a write whose answer was lost.
 */
export class RestClient {
  constructor(private readonly baseUrl: string) {}

  get<Answer>(path: string): Promise<Answer> {
    return this.request<Answer>('GET', path);
  }

  /** Client of the Muster API, which the v2 API does not contain. */
  getMusterApi<Answer>(path: string): Promise<Answer> {
    return this.request<Answer>('GET', path, undefined, MUSTER_API);
  }

  post<Answer>(path: string, body?: unknown): Promise<Answer> {
    return this.request<Answer>('POST', path, body);
  }

  patch<Answer>(path: string, body: unknown): Promise<Answer> {
    return this.request<Answer>('PATCH', path, body);
  }

  put<Answer>(path: string, body: unknown): Promise<Answer> {
    return this.request<Answer>('PUT', path, body);
  }

  async download(path: string): Promise<string> {
    const response = await this.send('GET', path);
    return response.text();
  }

  private async request<Answer>(method: string, path: string, body?: unknown, api = CONTRACT_API): Promise<Answer> {
    const response = await this.send(method, path, body, api);
    const text = await response.text();
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the caller names the type; the gateway's tests check every answer against the API document
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  private async send(method: string, path: string, body?: unknown, api = CONTRACT_API): Promise<Response> {
    const url = `${this.baseUrl}${api}${path}`;
    const headers = {
      ...(method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    for (let waited = 0; ; waited += RETRY_MS) {
      const response = await fetch(url, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
      }).catch((error: unknown) => {
        if (waited >= TIMEOUT_MS) throw error;
        return undefined;
      });
      const isAway = response === undefined || response.status === 503;
      if (!isAway && !response.ok)
        throw new RequestRefused(`${method} ${path}`, response.status, await response.text());
      if (!isAway) return response;
      if (waited >= TIMEOUT_MS) throw new Error(`${method} ${path}: no answer for ${TIMEOUT_MS / 1_000} s`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/**
 * Returns a function that returns the events of a cluster since its last call. With an offset it would miss some: an entry of the log
 * that a later one replaces moves the others to an earlier offset.
 */
export function newEventsFrom(
  client: Pick<RestClient, 'getMusterApi'>,
): (clusterId: string) => Promise<readonly EventView[]> {
  let after = '';
  return async (clusterId) => {
    const { events, next } = await client.getMusterApi<{
      readonly events: readonly EventView[];
      readonly next: string;
    }>(`/events?cluster_id=${clusterId}&after=${after}`);
    after = next;
    return events;
  };
}
