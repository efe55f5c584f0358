/** Rules of dependency-cruiser on imports between source files, type-only imports included. */
module.exports = {
  forbidden: [
    {
      name: 'no-import-cycles',
      comment: 'Move the shared declaration to the lower file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'libraries-do-not-import-tools',
      comment: 'Code that production needs belongs to libs/ or services/.',
      severity: 'error',
      from: { path: '^(libs|services)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^tools/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(/dist/|/gen/|\\.spec\\.ts$)' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['muster-source', 'import', 'require', 'node', 'default', 'types'],
    },
  },
};
