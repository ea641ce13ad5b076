/** A Python with VTK, for tests that read our files with VTK itself. */
import { execFileSync } from 'node:child_process'

export const VTK_REQUIRED = process.env.PEEL_REQUIRE_VTK === '1'

export function findVtkPython(): string | undefined {
  return ['python3', '/usr/bin/python3'].find(python => {
    try {
      execFileSync(python, ['-c', 'import vtkmodules.vtkIOXML, vtkmodules.util.numpy_support'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  })
}
