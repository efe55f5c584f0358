export * from './main';
export { builtinToolchain } from './toolchain/builtin-toolchain';
export type { InstallHost, InstallRequest, KeepSecret, Toolchain } from './toolchain/toolchain.port';
export { readConfig as readIgnitionConfig } from './config';
