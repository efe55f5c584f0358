import { request, Agent, type RequestOptions } from 'node:https';
import { ClusterApiError, type ClusterApi, type KubeObject, type KubeRef, type KubeResource } from '@muster/ports';
import type { ClusterConnection } from './connection';

const ANSWER_TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const NOT_FOUND = 404;
const CONFLICT = 409;

/** The Kubernetes API over HTTPS. */
export function kubernetesClusterApi(connection: ClusterConnection): ClusterApi {
  const agent = new Agent({ keepAlive: true, ca: connection.caPem, cert: connection.certPem, key: connection.keyPem });
  const base = new URL(connection.server);
  const call = (
    method: string,
    path: string,
    signal: AbortSignal,
    body?: { readonly type: string; readonly content: unknown },
  ): Promise<Buffer> => {
    const content = body && Buffer.from(JSON.stringify(body.content));
    const token = connection.token?.();
    const options: RequestOptions = {
      agent,
      method,
      signal,
      timeout: ANSWER_TIMEOUT_MS,
      hostname: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port || 443,
      path: base.pathname.replace(/\/+$/, '') + path,
      headers: {
        accept: 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(content && { 'content-type': body.type, 'content-length': content.length }),
      },
    };
    return send(options, content, base.host);
  };
  const read = async (path: string, signal: AbortSignal): Promise<unknown> =>
    JSON.parse((await call('GET', path, signal)).toString('utf8'));

  return {
    get: async (ref, signal) => {
      try {
        return (await read(pathOf(ref), signal)) as KubeObject;
      } catch (error) {
        if (error instanceof ClusterApiError && error.status === NOT_FOUND) return undefined;
        throw error;
      }
    },
    list: async (resource, { namespace, labelSelector, fieldSelector }, signal) => {
      const query = new URLSearchParams({
        ...(labelSelector && { labelSelector }),
        ...(fieldSelector && { fieldSelector }),
      }).toString();
      const path = collectionOf(resource, namespace) + (query && `?${query}`);
      return ((await read(path, signal)) as { readonly items?: readonly KubeObject[] | null }).items ?? [];
    },
    create: async (resource, object, signal) => {
      try {
        const path = collectionOf(resource, object.metadata.namespace);
        await call('POST', path, signal, { type: 'application/json', content: object });
        return true;
      } catch (error) {
        if (error instanceof ClusterApiError && error.status === CONFLICT) return false;
        throw error;
      }
    },
    patch: async (ref, change, signal) => {
      const type = Array.isArray(change) ? 'application/json-patch+json' : 'application/merge-patch+json';
      await call('PATCH', pathOf(ref), signal, { type, content: change });
    },
    replace: async (ref, object, subresource, signal) => {
      const path = pathOf(ref) + (subresource && `/${subresource}`);
      await call('PUT', path, signal, { type: 'application/json', content: object });
    },
    delete: async (ref, signal) => {
      try {
        await call('DELETE', pathOf(ref), signal);
      } catch (error) {
        if (!(error instanceof ClusterApiError && error.status === NOT_FOUND)) throw error;
      }
    },
    deleteAll: async (resource, namespace, signal) => {
      await call('DELETE', collectionOf(resource, namespace), signal);
    },
    podLog: async ({ name, namespace }, { container, sinceSeconds }, signal) => {
      const query = new URLSearchParams({
        ...(container && { container }),
        ...(sinceSeconds !== undefined && { sinceSeconds: String(sinceSeconds) }),
      }).toString();
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log`;
      return (await call('GET', path + (query && `?${query}`), signal)).toString('utf8');
    },
  };
}

function collectionOf({ group, isNamespaced, plural, version }: KubeResource, namespace: string | undefined): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return isNamespaced && namespace
    ? `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`
    : `${root}/${plural}`;
}

const pathOf = ({ name, namespace, resource }: KubeRef): string =>
  `${collectionOf(resource, namespace)}/${encodeURIComponent(name)}`;

function send(options: RequestOptions, content: Buffer | undefined, where: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const unreachable = (error: Error): void =>
      reject(new ClusterApiError(0, `The API of the cluster at ${where} does not answer: ${error.message}`));
    const sent = request(options, (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > ANSWER_BYTES_MAX) return answer.destroy(new Error(`more than ${ANSWER_BYTES_MAX} bytes`));
        chunks.push(chunk);
      });
      answer.once('error', unreachable);
      answer.once('end', () => {
        const body = Buffer.concat(chunks);
        const status = answer.statusCode ?? 0;
        if (status >= 200 && status < 300) return resolve(body);
        reject(
          new ClusterApiError(
            status,
            `The API of the cluster answered ${options.method} ${options.path} with ${status}: ${reasonOf(body)}`,
          ),
        );
      });
    });
    sent.once('timeout', () => sent.destroy(new Error(`no answer within ${ANSWER_TIMEOUT_MS / 1000} s`)));
    sent.once('error', unreachable);
    sent.end(content);
  });
}

const REASON_CHARS_MAX = 300;

function reasonOf(body: Buffer): string {
  const text = body.toString('utf8');
  try {
    const { message } = JSON.parse(text) as { readonly message?: string };
    return message ?? text.slice(0, REASON_CHARS_MAX);
  } catch {
    return text.slice(0, REASON_CHARS_MAX);
  }
}
