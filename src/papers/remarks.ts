/** Where our figures differ from those of the papers, and why: what a paper leaves open, and what we chose. */

const SHARED_MACHINE =
  'Times were measured on a shared, busy machine: counts do not depend on that, but single times can be off by a factor of three.'

export const LAI_REMARKS: {
  readonly setting: string
  readonly scaling: string
  readonly histogram: string
  readonly weights: string
  readonly figures: string
  readonly tables: Readonly<Record<number, string>>
} = {
  setting: `Method. Each scene is simulated once, with our default solver to 1e-6. Every method solves the same pressure problems from p = 0 to a natural residual of 1e-6 1/s: those of the first substep of evenly spaced frames. PI and PE start with the pinned set of the previous substep, as in the paper. Iterations are V-cycles (FAS-MG), full cycles (FMG), and all inner iterations of nested methods; for Newton each line search counts once.

Choices where the paper gives no details. Length of a frame and time step: 1/24 s, and at most three cells per substep (frames of 1/100 s with one cell per substep change counts by less than a third). Liquid: particles, FLIP. Geometry: our own scenes, modelled on its figures. ILU: MIC(0), which reproduces the paper’s counts for "No LCP"; plain incomplete Cholesky takes 1.6 times as many. FAS-MG: its plain V-cycle (\`acceleration=none\`, \`cells=whole\`) with contacts compared as A p + b with aᵢᵢ p; the printed comparison with p alone depends on units. FMG: \`cm-multigrid\` with our repairs, because as printed it does not converge. The last line, NAS-MGPCG, is our own method and is not in the paper.

${SHARED_MACHINE}`,
  scaling:
    'The paper’s claims hold: cycles of FAS-MG hardly grow with the grid, iterations of PI-PCG, PE-PCG and Newton about double with it. FMG grows less regularly than in the paper. NAS-MGPCG takes about as many iterations as FAS-MG takes cycles, each with less than half the work.',
  histogram:
    'The paper reports that 93 per cent of its equations at 128³ are true complementarity problems, and that policy and penalty need the same few systems. We find the same, with about one system more, see Table 4.',
  weights:
    'Trilinear weights take about as many cycles, and each costs more, as in the paper; how much more depends on the implementation of sparse products.',
  figures: 'The first table is ours, the second the paper’s.',
  tables: {
    1: '"No LCP", PI and PE agree with the paper within two fifths, PI-MG within a ninth, as does FAS-MG on small grids; on finer ones it takes fewer cycles here, hardly more than on coarse ones.',
    2: 'FAS-MG and "No LCP" agree with the paper, and Newton at 32³; at 64³ it takes more line searches. PI and PE take up to a half more, because they need about one linear system more, see Table 4.',
    3: 'As in the paper, the first policy is correct in most substeps. A second one is needed somewhat more often, because particles leave a rough surface, on which single contacts change.',
    4: 'As in 2D, a substep in which one contact changes costs one more system, and more substeps have one than in the paper.',
    5: 'Our solvers run in one process of JavaScript and WebAssembly; on the smallest grids set-up takes most of the time.',
    6: 'The ratios between methods matter here: the finer the grid, the larger the advantage of FAS-MG over FMG and PI-PCG.',
    7: 'The paper’s maze is taken from another paper and not printed. In ours the upper half is full, so that liquid hangs under ceilings everywhere and whole rooms separate at once; all methods need several times the paper’s counts, in about the paper’s order. Plain FAS-MG occasionally cycles between pinned sets, which our repaired `fas-mg` does not.',
    8: 'See Table 7.',
    9: 'FAS-MG, FMG and Newton are close to the paper. PI-PCG and PE-PCG need about a quarter of its counts: frame 10 of the paper, of unknown time, is far above its own average (Table 2), ours is not.',
    10: 'As in Table 9. Cells at the lower face of the cuboid separate and return.',
    11: 'Our upper shell is closed, and where liquid fills it, its matrix is singular, which costs the plain methods cycles.',
    12: 'Constant interpolation reproduces the paper’s counts. Simple boundaries slow down with the grid and do not diverge: a Galerkin correction is a projection, so poor weights make it useless but never harmful. Direct operators do no harm in this frame at 32³ and 64³, where few contacts are pinned, and fail at 128³, as in the paper. Rows as printed do no harm here; on harder problems both fail, see "Ablations of FAS-MG" in [solvers.md](../solvers.md).',
  },
}

export const MCADAMS_REMARKS: {
  readonly setting: string
  readonly speed: string
  readonly breakdown: string
  readonly growth: string
  readonly figures: string
  readonly methods: Readonly<Record<string, string>>
} = {
  setting: `Method. A box of voxels with a sphere in it, closed on all sides except for a wind that enters below and leaves above: all boundaries are Neumann, so the pressure is unique up to a constant. The residual is the largest one, relative to that of p = 0; one solve to 1e-8 gives both rows. Table 1 uses one thread.

Choices where the paper gives no details. Size and place of the sphere: a third of the box wide, at a third of its height. Right-hand side: a flow that has just met the sphere, with eddies of a tenth of its speed. Incomplete Cholesky: the plain variant is compared; the modified one is listed as well.

${SHARED_MACHINE}`,
  speed: 'Multigrid gains on incomplete Cholesky with every doubling of the grid, as in the paper.',
  breakdown:
    'The paper streams whole cubes through fused loops; ours visits rows of unknowns, and smooths the band along walls on two cells everywhere, where the paper derives its width. At this size the band therefore takes a larger share here. Our line 8 also updates the solution, which the paper does in line 16.',
  growth:
    'Cost grows with the number of cells. We keep double precision (twice the bytes of the paper’s vectors), the matrix of the finest level and three more vectors, so a cell needs more memory.',
  figures: 'Further claims of the paper. The iterations to 1e-8 above confirm one order of magnitude in two iterations.',
  methods: {
    CG: 'The paper’s iterations grow in the same way with the grid; their number depends on the right-hand side, which it does not describe.',
    ICPCG: 'The paper’s counts are between ours for plain and modified incomplete Cholesky, closer to the modified one.',
    MGPCG:
      'Iterations to 1e-4 agree with the paper within three up to 128³; beyond, and to 1e-8, they grow more with the grid here; our band of extra smoothing is two cells wide everywhere, the paper’s up to three.',
    'NAS-MGPCG': 'Our default solver, with sticking walls.',
  },
}

export const CHENTANEZ_MUELLER_REMARKS: Readonly<Record<'setting' | 'time' | 'residual' | 'contact', string>> = {
  setting: `Method. Each scene is simulated once with our default solver. The problems of the first substep of evenly spaced frames are solved from p = 0 with the fixed budget of the paper, once unchanged and once with all contacts turned into liquid; the fastest of three interleaved solves counts. "As printed" switches off all our repairs of \`cm-multigrid\`.

The paper does not give the amount of liquid, the time steps, or the residual that its budget reaches. Its times are from a GPU.

${SHARED_MACHINE}`,
  time: 'The paper’s 12 per cent are the cost of clamping and of bounds on three levels. Ours scatter around that figure; on a busy machine a single difference means little. The safeguard, our costliest repair, is paid with both kinds of walls.',
  residual:
    'As printed, separating contacts keep the residual at some hundredths of that of p = 0 in every scene; with our repairs seven cycles reduce it to a few thousandths or less in straight boxes. Where walls cut cells, fixing thin coarse cells at 0 costs more than it gains within so few cycles, and with sticking walls the method as printed is better; the repair is for problems on which the printed method does not converge at all.',
  contact:
    'With both conditions liquid separates, as the paper shows in pictures. On edges fewer contacts have exactly p = 0, because the condition holds between centres; the velocities of both are closer to each other than to those with sticking walls.',
}

export const ANDERSEN_REMARKS: {
  readonly setting: string
  readonly slowdown: string
  readonly counts: string
  readonly quartiles: string
  readonly inner: Readonly<Record<string, string>>
  readonly xi: string
  readonly volume: string
} = {
  setting: `Method. Most studies use the block that falls on two circles, their scene 2; all methods solve the same problems, from p = 0. Newton runs with the settings of their section 6: inner CG without preconditioner, ξ = 0.01, at most 10 steps of at most 1000 iterations, their four tests at 1e-5. PCG has a scaled sparse approximate inverse, which their CUSP calls "Static Scaled Bridson".

The paper does not give the time step or the reference of its slowdown. Its times are from a GPU, where 1000 iterations cost little.

${SHARED_MACHINE}`,
  slowdown:
    'The first column compares whole substeps of two simulations, one with separating walls by Newton, one with sticking walls by PCG; the others compare solves of the same problems, theirs on the same plain loops. Newton without a preconditioner needs several systems, each with more iterations than preconditioned PCG needs for one, so solves cost far more than the paper’s 5 to 25 per cent. In whole substeps of small grids, where a solve is one part of many, little of that remains, which may be what the paper means; on finer grids the solve dominates. With a preconditioner built for each Newton system, Newton takes two to three times the iterations of PCG; our default solver takes equally many for separating and for sticking walls.',
  counts:
    'Newton steps are 3 to 6 up to 256², as in figure 14. Iterations of PCG double with the resolution, as in the paper; those inside Newton without a preconditioner grow faster.',
  quartiles:
    'As in the paper, half of the solves are done after four or five steps and hardly any need more than six or seven; the last step gains several orders of magnitude. In the first frames the block falls freely, and one step is enough.',
  inner: {
    sticking:
      'Here the second step only confirms the first. The paper counts about 125 iterations without and 40 with its best preconditioner, to a looser tolerance; the relative saving is similar. GMRES restarts, which is harmful without a preconditioner.',
    unmasked:
      'The paper reports that preconditioners reused for all Newton systems fail in some cases and leaves them out. None fails here, where rows are compared after scaling by the diagonal; reuse costs up to a quarter more iterations.',
    masked: 'Rebuilt from the rows of each Newton system, every preconditioner stays effective.',
  },
  xi: 'As in the paper, ξ matters little up to 0.1. With 0.5 the ten allowed steps are not enough.',
  volume:
    'As in the paper, drifts differ more between scenes than between kinds of walls and have both signs; ours mostly lose volume, because particles that cluster leave less surface. With volume correction no frame is off by one per cent.',
}
