/** GLB files, binary glTF 2.0: surfaces for viewers on pages. */
import type { SurfaceMesh } from '../../grid/isosurface.js'

// Linear colour of water a metre deep; viewers choose the lighting.
const COLOUR: [number, number, number, number] = [0.08, 0.3, 0.55, 1]

/** Metres, y is up, as glTF has it. An empty surface is a node without a mesh: glTF has no empty meshes. */
export async function formatGlb(mesh: SurfaceMesh, name = 'liquid'): Promise<Uint8Array> {
  // Loaded only here: most readers and writers of other files do not need it.
  const { Document, WebIO } = await import('@gltf-transform/core')
  const document = new Document()
  document.getRoot().getAsset().generator = 'Peel'
  const node = document.createNode(name)
  document.getRoot().setDefaultScene(document.createScene().addChild(node))
  if (mesh.indices.length > 0) {
    const buffer = document.createBuffer()
    const accessor = (type: 'VEC3' | 'SCALAR', array: Float32Array | Uint32Array) =>
      document.createAccessor().setType(type).setArray(array.slice()).setBuffer(buffer)
    const material = document.createMaterial(name).setBaseColorFactor(COLOUR).setMetallicFactor(0).setRoughnessFactor(0.1)
    const primitive = document
      .createPrimitive()
      .setAttribute('POSITION', accessor('VEC3', mesh.positions))
      .setAttribute('NORMAL', accessor('VEC3', mesh.normals))
      .setIndices(accessor('SCALAR', mesh.indices))
      .setMaterial(material)
    node.setMesh(document.createMesh(name).addPrimitive(primitive))
  }
  return new WebIO().writeBinary(document)
}
