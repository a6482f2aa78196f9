"""The interpreter goes on while the simulator works, and Ctrl-C stops it."""
import _thread
import os
import signal
import threading
import time
import unittest

import tilescope

LONG = {"M": 8192, "N": 8192, "K": 8192}  # minutes with every instruction


class InterpreterGoesOn(unittest.TestCase):
    def test_another_thread_advances_meanwhile(self):
        for ask in (lambda: tilescope.run("gemm_tiled", parameters={"M": 512, "N": 512, "K": 512}, threads=1),
                    lambda: tilescope.sweep("gemm_tiled", {"M,N,K": [256], "tile": [16, 32]}, threads=1)):
            steps, done = [0], threading.Event()

            def count():
                while not done.is_set():
                    steps[0] += 1
                    time.sleep(0.001)

            counter = threading.Thread(target=count)
            counter.start()
            time.sleep(0.02)
            before, began = steps[0], time.monotonic()
            ask()
            took, meanwhile = time.monotonic() - began, steps[0] - before
            done.set()
            counter.join()
            self.assertGreater(meanwhile, 2 + 20 * took)  # some 900 a second; none where the lock is held

    def test_runs_side_by_side_are_the_same(self):
        alone = tilescope.run("gemm_tiled", parameters={"M": 256, "N": 256, "K": 128}, threads=1)
        answers = [None] * 3

        def ask(place):
            answers[place] = tilescope.run("gemm_tiled", parameters={"M": 256, "N": 256, "K": 128}, threads=1)

        threads = [threading.Thread(target=ask, args=(place,)) for place in range(len(answers))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [alone] * 3)


class CtrlC(unittest.TestCase):
    def stopped(self, ask):
        timer = threading.Timer(0.3, _thread.interrupt_main)
        timer.start()
        began = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            ask()
        timer.join()
        self.assertLess(time.monotonic() - began, 30)

    def test_stops_a_long_run(self):
        self.stopped(lambda: tilescope.run("gemm_tiled", parameters=LONG, sample="off"))
        self.assertIn("metrics", tilescope.run("gemm_tiled", parameters={"M": 64, "N": 64, "K": 64}))

    def test_stops_a_long_explanation(self):
        self.stopped(lambda: tilescope.explain("gemm_tiled", parameters=LONG, sample="off"))

    def test_stops_a_long_sweep(self):
        self.stopped(lambda: tilescope.sweep("gemm_tiled", {("M", "N", "K"): [8192], "tile": [16, 32]}, sample="off"))

    def test_a_handler_that_raises_something_else_does_too(self):
        def late(number, frame):
            raise TimeoutError("0.3 s")

        before = signal.signal(signal.SIGALRM, late)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with self.assertRaisesRegex(TimeoutError, "0.3 s"):
                tilescope.run("gemm_tiled", parameters=LONG, sample="off")
        finally:
            signal.signal(signal.SIGALRM, before)

    def test_a_handler_that_returns_does_not(self):
        seen = []
        before = signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
        try:
            timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1))
            timer.start()
            result = tilescope.run("gemm_tiled", parameters={"M": 512, "N": 512, "K": 512}, threads=1)
            timer.join()
        finally:
            signal.signal(signal.SIGUSR1, before)
        self.assertEqual(seen, [signal.SIGUSR1])
        self.assertIn("metrics", result)


if __name__ == "__main__":
    unittest.main()
