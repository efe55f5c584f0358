/** All problems of images and requests. Offsets and lengths are in bytes. */
export type BootImageProblem =
  | { readonly code: 'not_an_iso'; readonly reason: string }
  | { readonly code: 'truncated'; readonly what: string; readonly neededBytes: number; readonly sizeBytes: number }
  | { readonly code: 'malformed'; readonly what: string; readonly reason: string }
  | {
      readonly code: 'range_out_of_bounds';
      readonly offset: number;
      readonly length: number;
      readonly sizeBytes: number;
    }
  | { readonly code: 'file_not_found'; readonly path: string }
  | { readonly code: 'no_ignition_area' }
  | { readonly code: 'no_kargs_area' }
  | { readonly code: 'config_too_large'; readonly archiveBytes: number; readonly areaBytes: number }
  | { readonly code: 'kargs_too_long'; readonly kargsBytes: number; readonly areaBytes: number }
  | { readonly code: 'kargs_disagree'; readonly places: readonly string[] }
  | { readonly code: 'hostile_karg'; readonly value: string; readonly reason: string }
  | { readonly code: 'hostile_url'; readonly url: string; readonly reason: string }
  | { readonly code: 'ramdisk_too_large'; readonly ramdiskBytes: number; readonly areaBytes: number }
  | { readonly code: 'no_network_area' }
  | { readonly code: 'no_minimal_image'; readonly reason: string }
  | { readonly code: 'unsupported_compression'; readonly format: string };

export type BootImageErrorCode = BootImageProblem['code'];

/** The only error that this library throws. Errors of a byte source are passed on unchanged. */
export class BootImageError extends Error {
  constructor(readonly problem: BootImageProblem) {
    super(explain(problem));
    this.name = 'BootImageError';
  }

  get code(): BootImageErrorCode {
    return this.problem.code;
  }
}

function explain(problem: BootImageProblem): string {
  switch (problem.code) {
    case 'not_an_iso':
      return `This is not an ISO 9660 image: ${problem.reason}. Use an uncompressed live ISO.`;
    case 'truncated':
      return `The image is truncated: ${problem.what} needs ${problem.neededBytes} bytes, but the image has ${problem.sizeBytes}. Download it again.`;
    case 'malformed':
      return `The image is damaged: ${problem.what}: ${problem.reason}.`;
    case 'range_out_of_bounds':
      return `Bytes ${problem.offset} to ${problem.offset + problem.length} are outside of the ${problem.sizeBytes} bytes.`;
    case 'file_not_found':
      return `The image has no file ${problem.path}.`;
    case 'no_ignition_area':
      return 'The image has no area for an Ignition config (no coreos/igninfo.json, no images/ignition.img, no header). Use a CoreOS live ISO.';
    case 'no_kargs_area':
      return 'The image has no area for kernel arguments (no coreos/kargs.json, no header), so they cannot be added.';
    case 'config_too_large':
      return `The Ignition config is ${problem.archiveBytes - problem.areaBytes} bytes too large. It has ${problem.archiveBytes} bytes after compression, and the image reserves ${problem.areaBytes}.`;
    case 'kargs_too_long':
      return `The kernel arguments are ${problem.kargsBytes - problem.areaBytes} bytes too long: they take ${problem.kargsBytes} bytes and the image reserves ${problem.areaBytes}.`;
    case 'kargs_disagree':
      return `The boot menus of the image contain different kernel arguments (${problem.places.join(', ')}). Use an unmodified image.`;
    case 'hostile_karg':
      return `The kernel argument ${JSON.stringify(problem.value)} is refused: ${problem.reason}.`;
    case 'hostile_url':
      return `The URL ${JSON.stringify(problem.url)} is refused: ${problem.reason}.`;
    case 'ramdisk_too_large':
      return `The network files of the hosts are ${problem.ramdiskBytes - problem.areaBytes} bytes too large. They have ${problem.ramdiskBytes} bytes after compression, and the image reserves ${problem.areaBytes}.`;
    case 'no_network_area':
      return 'The image has no area for network files. Only minimal images have this area.';
    case 'no_minimal_image':
      return `A minimal image cannot be created from this image: ${problem.reason}.`;
    case 'unsupported_compression':
      return `The embedded archive is compressed with ${problem.format}, which is not supported. Supported: gzip and no compression.`;
    default:
      return problem satisfies never;
  }
}

export function malformed(what: string, reason: string): BootImageError {
  return new BootImageError({ code: 'malformed', what, reason });
}
