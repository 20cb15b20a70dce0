// SPDX-License-Identifier: MIT
// Reads what web/payload.cpp writes: a JSON header and transposed columns of numbers.

const TYPES = {
  u8: Uint8Array, u16: Uint16Array, i32: Int32Array, f32: Float32Array, f64: Float64Array,
};

export function bytesFromBase64(text) {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function inflateBytes(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// {header, columns: {name: typed array}}; throws an Error that says what is wrong.
export function decodePayload(bytes) {
  if (bytes.length < 4) throw new Error("a payload of less than 4 bytes");
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (4 + length > bytes.length) throw new Error("a payload shorter than its header says");
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  if (header.format !== 1) throw new Error(`a payload of format ${header.format}; this page reads 1`);
  const columns = {};
  let at = 4 + length;
  for (const { name, type } of header.columns) {
    const Type = TYPES[type];
    const width = Type.BYTES_PER_ELEMENT;
    const size = header.rows * width;
    if (at + size > bytes.length) throw new Error(`a payload that ends inside column ${name}`);
    const plain = new Uint8Array(size);
    for (let b = 0; b < width; ++b) {
      const from = at + b * header.rows;
      for (let i = 0; i < header.rows; ++i) plain[i * width + b] = bytes[from + i];
    }
    columns[name] = new Type(plain.buffer);
    at += size;
  }
  return { header, columns };
}
