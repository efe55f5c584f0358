/** A stream of bytes. */
export type ByteStream = AsyncIterable<Uint8Array>;

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD';
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string | undefined };
  readonly body: ByteStream;
}

/**
 * Sends one request through the configured proxies, with the configured certificate authorities, without following
 * redirects.
 */
export type SendHttp = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** Progress of a download. */
export interface DownloadProgress {
  readonly image: string;
  readonly bytes: number;
  readonly totalBytes: number;
}

export interface ImageManifest {
  /** Digest of the manifest of this architecture: `sha256:…`. */
  readonly digest: string;
  readonly layers: readonly { readonly digest: string; readonly size: number; readonly mediaType: string }[];
}

/** A local copy of a file in an image. */
export interface ExtractedFile {
  readonly path: string;
  /** Whether an earlier call had extracted it. */
  readonly wasCached: boolean;
}

/** Container images of registries. Each call throws ImageRegistryError. */
export interface ImageRegistry {
  /**
   * Returns the manifest for `architecture`, in the form `amd64`. An image without a list of architectures is returned
   * unchanged.
   */
  manifest(image: string, architecture: string, signal: AbortSignal): Promise<ImageManifest>;
  /** Returns the architectures of an image; one for an image without a list. */
  architectures(image: string, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Returns a local copy of a file in the image. `path` has no leading slash. An image without a list of architectures is
   * refused when its configuration states another one.
   */
  extractFile(image: string, architecture: string, path: string, signal: AbortSignal): Promise<ExtractedFile>;
}

/** The kinds of faults of a download, each with another remedy. */
export type RegistryFault =
  /** The registry does not accept the credentials. */
  | 'credentials'
  /** The registry does not have the image. */
  | 'missing'
  /** The registry limits requests. */
  | 'busy'
  /** The registry answered with a server error. */
  | 'failing'
  /** The connection failed or was interrupted. */
  | 'unreachable'
  /** The certificate of the registry is not trusted or not valid. */
  | 'certificate'
  /** The bytes do not match their digest. */
  | 'corrupt'
  /** The image does not contain the requested architecture or file. */
  | 'content'
  /** The copy cannot be written on this machine. */
  | 'disk';

/** An image cannot be read. The message contains the image, the registry and the reason. */
export class ImageRegistryError extends Error {
  constructor(
    readonly image: string,
    readonly registry: string,
    readonly reason: string,
    readonly fault: RegistryFault,
    /** HTTP status of the registry; 0 without an answer. */
    readonly status = 0,
  ) {
    super(`The image ${image} cannot be read from ${registry}: ${reason}`);
    this.name = 'ImageRegistryError';
  }
}
