// A liquid as a React component: it starts with the component, follows its properties and ends with it.
import { createLiquidView } from 'peel/web'
import { useEffect, useRef, useState } from 'react'

/** `scene` has the content of a scene file; a new object starts a new liquid, so keep it outside of render or in useMemo. `onFrame` is called
 *  with every frame. */
export function Liquid({ scene, playing = true, onFrame, style }) {
  const element = useRef(null)
  const view = useRef(null)
  const latest = useRef({})
  const [failure, setFailure] = useState('')

  useEffect(() => {
    latest.current = { playing, onFrame }
  })

  useEffect(() => {
    let isOver = false
    setFailure('')
    const fail = error => {
      if (!isOver) setFailure(error.message)
    }
    const started = createLiquidView(element.current, {
      scene,
      autoplay: false,
      onFrame: moment => latest.current.onFrame?.(moment),
      onFailure: fail,
    })
    started.then(created => {
      // React may have removed the component meanwhile; in strict mode it always does so once.
      if (isOver) return created.dispose()
      view.current = created
      if (latest.current.playing) created.play()
    }, fail)
    return () => {
      isOver = true
      view.current?.dispose()
      view.current = null
    }
  }, [scene])

  useEffect(() => {
    if (playing) view.current?.play()
    else view.current?.pause()
  }, [playing])

  return (
    <>
      <div ref={element} style={{ aspectRatio: '1', ...style }} />
      {failure && <p role="alert">{failure}</p>}
    </>
  )
}
