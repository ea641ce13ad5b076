import { StrictMode, useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Liquid } from './Liquid.jsx'

function App() {
  const [radius, setRadius] = useState(0.3)
  const [playing, setPlaying] = useState(true)
  const [frame, setFrame] = useState(0)
  const scene = useMemo(
    () => ({
      version: 1,
      domain: { size: [1, 1], resolution: 64 },
      liquid: [{ shape: 'sphere', centre: [0.5, 0.6], radius }],
      time: { fps: 60, frames: 240 },
    }),
    [radius],
  )
  return (
    <main>
      <h1>Liquid in React</h1>
      <Liquid scene={scene} playing={playing} onFrame={moment => setFrame(moment.frame.index)} />
      <p>
        <button type="button" onClick={() => setPlaying(!playing)}>
          {playing ? 'Pause' : 'Play'}
        </button>{' '}
        <label>
          Radius{' '}
          <input
            type="range"
            min="0.1"
            max="0.35"
            step="0.05"
            value={radius}
            onChange={event => setRadius(Number(event.target.value))}
          />
        </label>{' '}
        <output>frame {frame}</output>
      </p>
    </main>
  )
}

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
