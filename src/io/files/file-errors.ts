/** What the file system refuses, as messages that name the path. */
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InputError } from '../../input-error.js'

export const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  EBUSY: 'another program is using it',
  EEXIST: 'a file is in the way',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  EIO: 'the disk reports an error',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links form a cycle',
}

/** An empty path would mean the current folder, which was not requested. */
export function requirePath(path: string): void {
  if (path.trim() === '') throw new InputError('The path is empty; give a file or folder.')
}

export type FileAction = 'read' | 'written' | 'removed'

export async function statIfThere(path: string, action: FileAction) {
  try {
    return await stat(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw explain(error, action, path)
  }
}

export async function attempt<T>(action: FileAction, path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw explain(error, action, path)
  }
}

function explain(error: unknown, action: FileAction, path: string): Error {
  if (error instanceof InputError) return error
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' && action === 'written') return cannot(action, path, `the folder ${dirname(path)} does not exist`)
  return cannot(action, path, REASONS[code ?? ''] ?? message)
}

export function cannot(action: FileAction, path: string, reason: string): InputError {
  return new InputError(`${path} cannot be ${action}: ${reason}.`)
}
