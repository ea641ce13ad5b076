/** Where our figures differ from those of the papers, and why: what a paper leaves open, and what we chose. */

const SHARED_MACHINE =
  'Times were taken on a shared machine, while other programs ran: counts do not depend on that, times do, and single ones may be off by a factor of three.'

export const LAI_REMARKS: {
  readonly setting: string
  readonly scaling: string
  readonly histogram: string
  readonly weights: string
  readonly figures: string
  readonly tables: Readonly<Record<number, string>>
} = {
  setting: `How it was done. Each scene is simulated once, with our default solver to 1e-6, and every method solves the same pressure problems from p = 0 to a natural residual of 1e-6 1/s: those of the first substep of frames spread evenly over the simulation. PI and PE begin with what was pinned in the substep before, as in the paper. Iterations are V-cycles (FAS-MG), full cycles (FMG), and all inner iterations of methods that nest; for Newton each line search counts once.

What the paper leaves open, and what we chose. Length of a frame and time step: 1/24 s, and at most three cells per substep (frames of 1/100 s with one cell per substep were tried and change counts by less than a third). Liquid: particles, FLIP. Geometry: our own scenes after its figures. ILU: MIC(0), with which «No LCP» takes what the paper prints; plain incomplete Cholesky takes 1.6 times as many. FAS-MG: its plain V-cycle (\`acceleration=none\`, \`cells=whole\`) with contacts compared as A p + b with aᵢᵢ p; the printed comparison with p alone depends on units. FMG: \`cm-multigrid\` with our repairs, because as printed it does not converge. The last line, NAS-MGPCG, is our own method and not in the paper.

${SHARED_MACHINE}`,
  scaling:
    'What the paper claims holds: cycles of FAS-MG hardly grow with the grid, iterations of PI-PCG, PE-PCG and Newton about double with it. FMG grows less regularly here than there. Ours takes about as many iterations as FAS-MG takes cycles, each of less than half the work.',
  histogram:
    'The paper says that 93 per cent of its equations at 128³ are true complementarity problems, and that policy and penalty need the same few systems. So it is here, with about one system more, see Table 4.',
  weights:
    'Trilinear weights take about as many cycles, and each of them costs more, as the paper says; how much depends on how sparse products are coded.',
  figures: 'The first table is ours, the second what the paper says.',
  tables: {
    1: '«No LCP», PI and PE agree with the paper within two fifths, PI-MG within a ninth, and so does FAS-MG on small grids; on finer ones it takes fewer cycles here, hardly more than on coarse ones.',
    2: 'FAS-MG and «No LCP» agree with the paper, and Newton at 32³; at 64³ it takes more line searches. PI and PE take up to a half more, because they need about one linear system more, see Table 4.',
    3: 'As in the paper the first policy is right in most substeps. A second one is needed somewhat more often, because particles leave a rough surface, on which single contacts change sides.',
    4: 'As in 2D: a substep in which one contact changes sides costs one more system, and here more substeps have one than in the paper.',
    5: 'Our solvers run in one process of JavaScript and WebAssembly; on the smallest grids their set-up is most of the time.',
    6: 'Ratios of the methods to each other are the point: FAS-MG beats FMG and PI-PCG the more, the finer the grid.',
    7: 'The paper’s maze is that of another paper, and not printed. Ours has its upper half full, so that liquid hangs under ceilings everywhere and whole rooms let go at once; all methods need several times the paper’s counts, in about the paper’s order. Plain FAS-MG runs in circles between pinned sets now and then, which our repaired `fas-mg` does not.',
    8: 'See Table 7.',
    9: 'FAS-MG, FMG and Newton are near to the paper. PI-PCG and PE-PCG need about a quarter of its counts: frame 10 of the paper, of unknown time, is far above its own average (Table 2), ours is not.',
    10: 'As in Table 9. Cells at the lower face of the cuboid let go and come back.',
    11: 'Our upper shell is closed, and where liquid fills it, its matrix is singular, which costs the plain methods cycles.',
    12: 'Constant interpolation takes the paper’s counts. Simple boundaries slow down with the grid, and do not diverge: a Galerkin correction is a projection, so poor weights make it useless, never harmful. Direct operators do no harm in this frame at 32³ and 64³, where few contacts are pinned, and fail at 128³, as in the paper. Rows as printed do no harm here; on harder problems both fail, see «What each part of FAS-MG is good for» in [solvers.md](../solvers.md).',
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
  setting: `How it was done. A box of voxels closed on all sides but for a wind that enters below and leaves above, with a sphere in it: all boundaries are Neumann, so the pressure is known up to a constant. The residual is the largest one, relative to that of p = 0; one solve to 1e-8 gives both rows. Table 1 is on one thread.

What the paper leaves open, and what we chose. Size and place of the sphere: a third of the box wide, at a third of its height. Right-hand side: a flow that has just met the sphere, with eddies of a tenth of its speed. Kind of incomplete Cholesky: the plain one is compared, the modified one is given, too.

${SHARED_MACHINE}`,
  speed: 'Multigrid gains on incomplete Cholesky with every doubling of the grid, as in the paper.',
  breakdown:
    'The paper streams whole cubes through fused loops; ours visits rows of unknowns, and smooths the band along walls on two cells everywhere, where the paper derives its width. So at this size the band takes a larger share here. Line 8 of ours also updates the solution, which the paper does in line 16.',
  growth:
    'Cost grows with the number of cells. We keep double precision (twice the bytes of the paper’s vectors), the matrix of the finest level and three vectors more, so a cell takes more memory.',
  figures:
    'What the paper says besides its tables; an order of magnitude in two iterations is what the iterations to 1e-8 above show, too.',
  methods: {
    CG: 'The paper’s iterations grow in the same way with the grid; their number depends on the right-hand side, of which it says nothing.',
    ICPCG: 'Counts of the paper lie between those of plain and of modified incomplete Cholesky here, nearer to the modified one.',
    MGPCG:
      'Iterations to 1e-4 agree with the paper within three up to 128³; beyond, and to 1e-8, they grow more with the grid here; our band of extra smoothing is two cells wide everywhere, the paper’s up to three.',
    'NAS-MGPCG': 'Our default solver, with walls that stick.',
  },
}

export const CHENTANEZ_MUELLER_REMARKS: Readonly<Record<'setting' | 'time' | 'residual' | 'contact', string>> = {
  setting: `How it was done. Each scene is simulated once with our default solver; the problems of the first substep of frames spread evenly are solved from p = 0 by the fixed budget of the paper, once as they are and once with all contacts made liquid, the fastest of three in turn. «As printed» switches off all our repairs of \`cm-multigrid\`.

What the paper leaves open: how full its scenes are, how long its steps are, and what residual its budget reaches. Its times are those of a GPU.

${SHARED_MACHINE}`,
  time: 'The paper’s 12 per cent are the cost of clamping and of bounds on three levels. Ours scatter around that figure; on a busy machine a single difference says little. The safeguard, our costliest repair, is paid with both kinds of walls.',
  residual:
    'As printed, contacts that let go keep the residual at some hundredths of that of p = 0, whatever the scene; with our repairs seven cycles take it down to a few thousandths or less in straight boxes. Where walls cut cells, our way of holding thin coarse cells at 0 costs more than it gains within so few cycles, and with walls that stick the method as printed is the better one; it is there for problems on which the printed one does not converge at all.',
  contact:
    'Both conditions let liquid go, as the paper shows in pictures. On edges fewer contacts are at p = 0 exactly, because the condition holds between centres; the velocities of both are nearer to each other than to those with walls that stick.',
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
  setting: `How it was done. Most studies are of the block that falls on two circles, their scene 2; all methods solve the same problems, from p = 0. Newton runs with the settings of their section 6: inner CG without preconditioner, ξ = 0.01, at most 10 steps of at most 1000 iterations, their four tests at 1e-5. PCG has a scaled sparse approximate inverse, which their CUSP calls «Static Scaled Bridson».

What the paper leaves open: the time step, and of what its slowdown is a percentage. Its times are those of a GPU, where 1000 iterations cost little.

${SHARED_MACHINE}`,
  slowdown:
    'The first column compares whole substeps of two simulations, one with separating walls by Newton, one with sticking walls by PCG; the others compare solves of the same problems, theirs on the same plain loops. Newton without a preconditioner takes several systems, each of more iterations than preconditioned PCG needs for one; so solves cost far more than the 5 to 25 per cent of the paper. In whole substeps of small grids, where a solve is one part of many, little of that is left, which may be what the paper means; on finer grids solves are most of a substep. With a preconditioner built on each Newton system it takes two to three times the iterations of a PCG; our default solver takes as many for walls that let go as for walls that stick.',
  counts:
    'Newton steps are 3 to 6 up to 256², as in figure 14. Iterations of PCG double with the resolution, as the paper says; those inside Newton without a preconditioner grow faster.',
  quartiles:
    'As in the paper, half of the solves are done after four or five steps and hardly any needs more than six or seven; the last step gains several orders of magnitude. In the first frames the block falls freely, and one step is enough.',
  inner: {
    sticking:
      'Here the second step only confirms the first. The paper counts about 125 iterations without and 40 with its best preconditioner, to a looser tolerance; the share that is saved is similar. GMRES restarts, which hurts without a preconditioner.',
    unmasked:
      'The paper reports that preconditioners reused for all Newton systems fail in some cases and leaves them out. None fails here, where rows are compared after scaling by the diagonal; reusing costs up to a quarter more iterations.',
    masked: 'Built anew on the rows of each Newton system, every preconditioner keeps its worth.',
  },
  xi: 'As in the paper, ξ matters little up to 0.1. With 0.5 the ten steps that are allowed are not enough.',
  volume:
    'As in the paper, drifts differ more between scenes than between kinds of walls, and have both signs on the way; ours mostly lose, because particles that come close to each other leave less surface. Mended, no frame is off by one per cent.',
}
