/*
 * Gift-card value in a store: grants, leases, hand-over, replacement of a lane and a restored database.
 * One card, VALUE units. A is the lane as it was enrolled first, B is its successor, and also stands for
 * every other lane: both only take what the server holds. README.md explains the model.
 *
 *   spin -DTICKS=2 -a voucher-lease.pml && gcc -O2 -DSAFETY -DNOREDUCE -DCOLLAPSE -o pan pan.c && ./pan -m1000000
 *   -DRESTORE         with a database that goes back to a backup
 *   -DNO_LEASE        value at a lane has no lease, and a successor receives it at once (must fail)
 *   -DFREE_AT_EXPIRY  the store gets the value back when the lease has ended, unasked (must fail)
 *   -DNO_RUN          the last statement of a lane that stops does not say of which start (must fail)
 *   -DNO_JUMP         an answer that was under way while the lane slept begins a lease (must fail)
 *   -DNO_RECHECK      the server looks at the token when a push arrives, not when it is applied (must fail)
 */
#define VALUE 2
#define LEASE 1   /* ticks */
#define MARGIN 1  /* ticks that the lane's clock may miss unnoticed */
#ifndef TICKS
#define TICKS 3
#endif
#define STARTS 2  /* starts of lane A's program */

/* Customers. */
byte paid;

/* Time: the server's clock and the lane's monotonic clock. */
byte now, laneNow, missed;

/* Lane A. What it has told for good is numbered: the server applies totals, so a repeated push changes nothing. */
short here = VALUE;          /* lies at A */
byte spentA, handedA, drawnA;  /* totals of its facts */
byte heldUntil;              /* end of its lease by its own clock; 0: no lease */
bool isOffA;                 /* powered off, or burnt */
byte start = 1;                /* which start of its program this is */
bool drawAsked, drawAnswered;  /* one draw under way: asked, and its answer has arrived */

/*
 * In flight: a message may be late or lost. A push is numbered: the server applies what it lacks, so that a repeated
 * or older one changes nothing. A draw has an id, which the server decides once.
 */
bool beatSent;  byte beatAt, beatRun; bool beatCounts;           /* heartbeat to the server, with the lane's time at sending */
bool ackSent;   byte ackAt, ackRun;            /* its confirmation, which may arrive any number of times */
bool pushSent;
bool drawSent;
bool stopSent; byte stopRun;            /* the last statement of a lane that stops in good order */

/* Server. */
short held, atA = VALUE, granted, stranded;
byte appliedSpent, appliedHanded, appliedDrawn, takenB;
bool isTokenA = true;        /* A's token is valid */
bool isMoved;                /* the successor has come, and what lay at A was moved away */
byte lastRun = 1;            /* the newest start of A that has greeted the server, which numbers them */
bool isClean;                /* A stopped in good order, with nothing left to tell */
byte until;                  /* when A's lease has certainly ended */
bool isAwaited;              /* the database was put back: no draws until everything is told again */

/* Successor and other lanes. */
byte paidB;

/* A backup of the database. */
bool isSaved, isRestored;
short savedHeld, savedAtA, savedGranted, savedStranded;
byte savedSpent, savedHanded, savedDrawn, savedTaken;
bool savedMoved;

#define TOLD_ALL (spentA == appliedSpent && handedA == appliedHanded && drawnA == appliedDrawn)
#ifdef NO_LEASE
#define HAS_LEASE true
#else
#define HAS_LEASE (heldUntil > laneNow)
#endif

/* Each unit that no applied fact has spent is in exactly one place that the server can name. */
inline check() {
  assert(paid <= VALUE);
  assert(held + atA + granted + stranded == VALUE - appliedSpent - takenB);
  assert(atA >= 0 && stranded >= 0 && granted >= 0);
  assert(isAwaited || held >= 0);
  assert(!isMoved || atA == 0)
}

/* Totals of A as they are applied: the same ones again change nothing. Draws that the database has lost lower held. */
inline apply() {
  atA = atA - (spentA - appliedSpent) - (handedA - appliedHanded) + (drawnA - appliedDrawn);
  held = held + (handedA - appliedHanded);
  held = held - (drawnA - appliedDrawn > granted -> drawnA - appliedDrawn - granted : 0);
  granted = (drawnA - appliedDrawn > granted -> 0 : granted - (drawnA - appliedDrawn));
  appliedSpent = spentA; appliedHanded = handedA; appliedDrawn = drawnA
}

/* What can change nothing any more takes no room in the search. */
inline forget() {
  if :: heldUntil <= laneNow -> heldUntil = 0 :: else fi;
  if :: ackAt + LEASE <= laneNow || ackRun != start || isOffA -> ackSent = false; ackAt = 0; ackRun = 0 :: else fi;
  if :: !beatSent || beatRun != start -> beatCounts = false :: else fi;
  if :: !beatSent -> beatAt = 0; beatRun = 0 :: else fi
}

init {
  do
  /* ---- time ---- */
  :: atomic { now < TICKS -> now++; laneNow++; forget() }
  :: atomic { now < TICKS && missed < MARGIN -> now++; missed++ }
  /* A longer sleep: the two clocks of the lane differ by more than they may, since any reading before it. */
#ifdef NO_JUMP
  :: atomic { now < TICKS -> now++; heldUntil = 0 }
#else
  :: atomic { now < TICKS -> now++; heldUntil = 0; beatCounts = false; ackSent = false; ackAt = 0; ackRun = 0 }
#endif
  /* A clock that was set, or the answer that the token has ended. */
  :: atomic { heldUntil > 0 -> heldUntil = 0 }
  :: atomic { !isOffA -> isOffA = true; heldUntil = 0; drawAsked = false; drawAnswered = false; forget() }
  :: atomic { isOffA && start < STARTS -> isOffA = false; start++ }

  /* ---- lane A ---- */
  :: atomic { !isOffA && here > 0 && HAS_LEASE -> here--; spentA++; paid++; check() }
  :: atomic { !isOffA && isTokenA && here > 0 && !isClean -> here--; handedA++ }
  :: atomic { !isOffA && !beatSent -> beatSent = true; beatAt = laneNow; beatRun = start; beatCounts = true }
  /* Its answer goes to the program that asked. */
  :: atomic { ackSent && !isOffA && ackRun == start ->
       if :: ackAt + LEASE > heldUntil && ackAt + LEASE > laneNow -> heldUntil = ackAt + LEASE :: else fi }
  :: atomic { !isOffA && !pushSent && isTokenA && !TOLD_ALL ->
       pushSent = true }
  :: atomic { !isOffA && isTokenA && !drawAsked && !drawSent && granted == 0 -> drawAsked = true; drawSent = true }
  :: atomic { !isOffA && drawAnswered -> drawAnswered = false; drawAsked = false; drawnA++; spentA++; paid++; check() }
  /* It stops in good order: no lease any more, everything told. What was confirmed before does not count again. */
  :: atomic { !isOffA && isTokenA && TOLD_ALL && !stopSent && !drawAsked && !drawSent ->
       stopSent = true; stopRun = start; heldUntil = 0; isOffA = true; forget() }

  /* ---- server ---- */
  :: atomic { beatSent ->
       if
       :: isTokenA -> ackSent = beatCounts; ackAt = beatAt; ackRun = beatRun; isClean = false;
            if :: beatRun > lastRun -> lastRun = beatRun :: else fi;
            if :: now + LEASE + MARGIN > until -> until = now + LEASE + MARGIN :: else fi
       :: !isTokenA -> heldUntil = 0  /* refused; the answer may be late, so nothing depends on it */
       :: !isTokenA
       fi; beatSent = false; forget() }
  :: atomic { beatSent -> beatSent = false; forget() }
  :: atomic { pushSent ->
#ifdef NO_RECHECK
       apply();
#else
       if :: isTokenA -> apply() :: else fi;
#endif
       pushSent = false;
       check() }
  :: atomic { pushSent -> pushSent = false }
  :: atomic { drawSent -> drawSent = false;
       if
       :: held > 0 && !isAwaited -> held--; granted++;
            if :: drawAsked && !isOffA -> drawAnswered = true :: skip fi  /* its answer may be lost */
       :: else
       fi; check() }
  :: atomic { drawSent -> drawSent = false }
  /* The lane calls off a draw whose answer was lost. */
  :: atomic { !isOffA && isTokenA && drawAsked && !drawAnswered && !drawSent && granted > 0 && drawnA == appliedDrawn ->
       granted--; held++; drawAsked = false; check() }
  :: atomic { !isOffA && drawAsked && !drawAnswered && !drawSent && granted == 0 -> drawAsked = false }
  :: atomic { stopSent -> stopSent = false;
       if
#ifdef NO_RUN
       :: isTokenA && TOLD_ALL -> isClean = true
#else
       :: isTokenA && TOLD_ALL && stopRun == lastRun -> isClean = true
#endif
       :: else fi; stopRun = 0 }
  :: atomic { stopSent -> stopSent = false; stopRun = 0 }

  /* ---- replacement: another machine is enrolled under the number of A, which may run on ---- */
  :: atomic { isTokenA -> isTokenA = false }
  :: atomic { !isTokenA && !isMoved -> isMoved = true;
#ifdef NO_LEASE
       held = held + atA;
#else
       if :: isClean -> held = held + atA :: else -> stranded = stranded + atA fi;
#endif
       atA = 0; check() }
#ifdef FREE_AT_EXPIRY
  :: atomic { stranded > 0 && now >= until -> held = held + stranded; stranded = 0; check() }
#endif
  /* The owner looks at the papers of A: what they show as paid stays away. */
  :: atomic { !isTokenA && stranded > spentA - appliedSpent && (now >= until || isOffA) ->
       stranded--; held++; check() }
  :: atomic { !isTokenA && granted > drawnA - appliedDrawn && !drawAsked -> granted--; held++; check() }

  /* ---- successor and other lanes ---- */
  :: atomic { held > 0 && !isAwaited && takenB == paidB -> held--; takenB++; paidB++; paid++; check() }

#ifdef RESTORE
  /* ---- a backup of the database, and going back to it ---- */
  :: atomic { !isSaved -> isSaved = true;
       savedHeld = held; savedAtA = atA; savedGranted = granted; savedStranded = stranded; savedMoved = isMoved;
       savedSpent = appliedSpent; savedHanded = appliedHanded; savedDrawn = appliedDrawn; savedTaken = takenB }
  :: atomic { isSaved && !isRestored -> isRestored = true;
       held = savedHeld; atA = savedAtA; granted = savedGranted; stranded = savedStranded; isMoved = savedMoved;
       appliedSpent = savedSpent; appliedHanded = savedHanded; appliedDrawn = savedDrawn; takenB = savedTaken;
       /* Which heartbeats were confirmed is forgotten: any lease may have begun just now. */
       isAwaited = true; isClean = false; until = now + LEASE + MARGIN;
       /* A granted draw is paid with or called off within two seconds, and a restore takes longer. */
       drawAnswered = false; check() }
  :: atomic { isAwaited && takenB < paidB -> held = held - (paidB - takenB); takenB = paidB; check() }
  /* A has told everything, or its token has ended and the owner goes on without it: its papers show no such draw. */
  :: atomic { isAwaited && takenB == paidB && drawnA == appliedDrawn && (!isTokenA || TOLD_ALL) && held >= 0 ->
       isAwaited = false }
#endif
  :: atomic { now == TICKS -> break }
  od
}
