/** How far the file of an image is. */
export type StoredImageState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'downloading';
      readonly receivedBytes: number;
      /** Undefined until the server has answered. */
      readonly totalBytes: number | undefined;
    }
  | { readonly kind: 'ready'; readonly bytes: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAtMs: number };

const MEBIBYTE = 1024 * 1024;

/** The error for a request for an image that is not available yet. */
export function noteOf(fileName: string, state: StoredImageState): string {
  switch (state.kind) {
    case 'absent':
    case 'ready':
      return `The base image ${fileName} is not there yet; try again soon.`;
    case 'downloading': {
      const total = state.totalBytes;
      const progress = total
        ? `, ${Math.floor((state.receivedBytes / total) * 100)} % of ${Math.ceil(total / MEBIBYTE)} MiB`
        : '';
      return `The base image ${fileName} is being downloaded${progress}; try again soon.`;
    }
    case 'failed':
      return `The base image ${fileName} could not be downloaded: ${state.reason}. It is tried again soon.`;
    default:
      return state satisfies never;
  }
}
