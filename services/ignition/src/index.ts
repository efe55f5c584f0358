export * from './main';
export { builtinToolchain } from './toolchain/builtin-toolchain';
export type { InstallHost, InstallOrder, KeepSecret, Toolchain } from './toolchain/toolchain.port';
