/** A config of the Ignition spec, version 3: the parts that this library writes. Others pass through a merge untouched. */
export interface IgnitionConfig {
  readonly ignition: IgnitionSection;
  readonly passwd?: { readonly users?: readonly IgnitionUser[] };
  readonly storage?: { readonly files?: readonly IgnitionFile[] };
  readonly systemd?: { readonly units?: readonly IgnitionUnit[] };
}

export interface IgnitionSection {
  /** Version of the specification, such as 3.1.0. */
  readonly version: string;
  readonly config?: { readonly merge?: readonly IgnitionResource[] };
  readonly proxy?: IgnitionProxy;
  readonly security?: { readonly tls?: { readonly certificateAuthorities?: readonly IgnitionResource[] } };
}

export interface IgnitionProxy {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: readonly string[];
}

/** Bytes by URL; `data:` URLs bring them along. */
export interface IgnitionResource {
  readonly source: string;
  readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
}

export interface IgnitionUser {
  readonly name: string;
  readonly groups?: readonly string[];
  readonly passwordHash?: string;
  readonly sshAuthorizedKeys?: readonly string[];
}

export interface IgnitionFile {
  /** Absolute. */
  readonly path: string;
  /** As a decimal number: 420 is 0644. */
  readonly mode?: number;
  readonly overwrite?: boolean;
  readonly contents?: IgnitionResource;
}

export interface IgnitionUnit {
  readonly name: string;
  readonly enabled?: boolean;
  /** Absent for a unit that the image brings. */
  readonly contents?: string;
  /** Additions to the unit; each name ends in `.conf`. */
  readonly dropins?: readonly { readonly name: string; readonly contents: string }[];
}
