/**
 * Makes a shared library that was linked against glibc 2.38 loadable with glibc 2.36. Compilers of
 * that release redirect `strtol` and its like to names that also take the binary numbers of C23;
 * here they get their older names again. The change is in the names that the dynamic linker looks
 * up (System V ABI, "Dynamic Linking"; LSB, "Symbol Versioning"). Returns undefined if the file has
 * no such names, or is not an ELF file of 64 bits, little endian.
 */
export function relinked(file: Uint8Array): Uint8Array | undefined {
  const elf = Buffer.from(file);
  if (elf.readUInt32BE(0) !== ELF_MAGIC || elf[4] !== CLASS_64 || elf[5] !== LITTLE_ENDIAN) return;
  const sections = sectionsOf(elf);
  const symbols = sections.find(({ type }) => type === SECTION_DYNAMIC_SYMBOLS);
  const versions = sections.find(({ type }) => type === SECTION_SYMBOL_VERSIONS);
  const needs = sections.find(({ type }) => type === SECTION_VERSION_NEEDS);
  const names = sections[symbols?.link ?? -1];
  if (!symbols || !versions || !needs || !names) return;

  const nameAt = (offset: number) => textAt(elf, names.offset + offset);
  const needed = neededVersions(elf, needs.offset, nameAt);
  const oldest = needed.find(({ name }) => name === OLDEST_VERSIONS[elf.readUInt16LE(MACHINE_AT)]);
  const newest = needed.find(({ name }) => name === 'GLIBC_2.38');
  if (!oldest || !newest) return;

  for (let n = 0; n < symbols.size / SYMBOL_BYTES; n += 1) {
    const symbol = symbols.offset + n * SYMBOL_BYTES;
    const version = versions.offset + n * 2;
    if (elf.readUInt16LE(version) !== newest.index) continue;
    const nameOffset = elf.readUInt32LE(symbol);
    if (!nameAt(nameOffset).startsWith(C23_PREFIX)) return; // a function that is new in 2.38
    elf.writeUInt32LE(nameOffset + C23_PREFIX.length, symbol);
    elf.writeUInt16LE(oldest.index, version);
  }
  elf.writeUInt16LE(elf.readUInt16LE(newest.entry + 4) | WEAK, newest.entry + 4);
  return elf;
}

const ELF_MAGIC = 0x7f_45_4c_46;
const CLASS_64 = 2;
const LITTLE_ENDIAN = 1;
const SECTION_DYNAMIC_SYMBOLS = 11;
const SECTION_VERSION_NEEDS = 0x6f_ff_ff_fe;
const SECTION_SYMBOL_VERSIONS = 0x6f_ff_ff_ff;
const SYMBOL_BYTES = 24;
/** A flag for a version that may be missing: no symbol is bound to it any more. */
const WEAK = 2;
const C23_PREFIX = '__isoc23_';
const MACHINE_AT = 0x12;
/** The version of the symbols that glibc has always had, on x86-64 and on AArch64. */
const OLDEST_VERSIONS: Readonly<Record<number, string>> = { 62: 'GLIBC_2.2.5', 183: 'GLIBC_2.17' };

interface Section {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
}

function sectionsOf(elf: Buffer): readonly Section[] {
  const table = Number(elf.readBigUInt64LE(0x28));
  const entryBytes = elf.readUInt16LE(0x3a);
  return Array.from({ length: elf.readUInt16LE(0x3c) }, (_, n) => {
    const entry = table + n * entryBytes;
    return {
      type: elf.readUInt32LE(entry + 4),
      offset: Number(elf.readBigUInt64LE(entry + 0x18)),
      size: Number(elf.readBigUInt64LE(entry + 0x20)),
      link: elf.readUInt32LE(entry + 0x28),
    };
  });
}

interface NeededVersion {
  readonly name: string;
  readonly index: number;
  /** Offset of its entry. */
  readonly entry: number;
}

/** Returns the versions of the C library only: other libraries have ones of the same names. */
function neededVersions(
  elf: Buffer,
  start: number,
  nameAt: (offset: number) => string,
): readonly NeededVersion[] {
  const needed: NeededVersion[] = [];
  for (let library = start, step = 1; step !== 0; library += step) {
    step = elf.readUInt32LE(library + 12);
    if (!nameAt(elf.readUInt32LE(library + 4)).startsWith('libc.so.')) continue;
    for (let entry = library + elf.readUInt32LE(library + 8), next = 1; next !== 0; entry += next) {
      next = elf.readUInt32LE(entry + 12);
      needed.push({
        name: nameAt(elf.readUInt32LE(entry + 8)),
        index: elf.readUInt16LE(entry + 6),
        entry,
      });
    }
  }
  return needed;
}

const textAt = (elf: Buffer, start: number) => elf.toString('latin1', start, elf.indexOf(0, start));
