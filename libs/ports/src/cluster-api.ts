/** A kind of Kubernetes objects, as in its API path. `group` is empty for the core API. */
export interface KubeResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
}

/** The members that all callers use. Each caller reads further members with its own types. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: { readonly [name: string]: string };
    readonly annotations?: { readonly [name: string]: string };
    readonly [member: string]: unknown;
  };
  readonly [member: string]: unknown;
}

export interface KubeRef {
  readonly resource: KubeResource;
  readonly name: string;
  readonly namespace?: string;
}

/** The API of the cluster that is being installed. Each call throws ClusterApiError when the API refuses or does not answer. */
export interface ClusterApi {
  /** Returns undefined when the object does not exist. */
  get(ref: KubeRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  list(
    resource: KubeResource,
    query: { readonly namespace?: string; readonly labelSelector?: string; readonly fieldSelector?: string },
    signal: AbortSignal,
  ): Promise<readonly KubeObject[]>;
  /** Returns false when the object exists already. */
  create(resource: KubeResource, object: KubeObject, signal: AbortSignal): Promise<boolean>;
  /** A list is sent as a JSON patch, an object as a merge patch. */
  patch(ref: KubeRef, change: object | readonly object[], signal: AbortSignal): Promise<void>;
  /** Replaces the object, or its `subresource`. */
  replace(ref: KubeRef, object: KubeObject, subresource: string, signal: AbortSignal): Promise<void>;
  /** Does nothing when the object does not exist. */
  delete(ref: KubeRef, signal: AbortSignal): Promise<void>;
  /** Deletes all objects of a kind in a namespace with one request. */
  deleteAll(resource: KubeResource, namespace: string, signal: AbortSignal): Promise<void>;
  podLog(
    ref: { readonly namespace: string; readonly name: string },
    query: { readonly sinceSeconds?: number; readonly container?: string },
    signal: AbortSignal,
  ): Promise<string>;
}

/** The API of the cluster refused a call (`status`), or did not answer (`status` 0). */
export class ClusterApiError extends Error {
  constructor(
    readonly status: number,
    reason: string,
  ) {
    super(reason);
    this.name = 'ClusterApiError';
  }
}
