/*
 * Which timers fire?
 *
 * Words:    timers, wakeups, hrtimer, ticks, who wakes the cpu, power, jitter
 * Area:     CPU
 * Attaches: each timer of the kernel that expires
 * Cost:     medium – thousands of firings a second and CPU
 *
 * By the function of the kernel that the timer calls; hrtimer_wakeup is a thread that slept
 * for a stated time.
 */

sdt:::hrtimer_expire_entry
{
	@fired[func((uintptr_t)args[0]->function)] = count();
}

sdt:::timer_expire_entry
{
	@fired[func((uintptr_t)args[0]->function)] = count();
}
