/* what illumos places by hand and Linux has by another name */
provider sdt {
	/* A device has interrupted, and its driver begins to look: arg0 is the action, arg1 its function, arg2 what that is told, arg3 the number of the interrupt. */
	probe interrupt-start(struct irqaction *A, uintptr_t handler, void *told, int irq)
		= rawtp:::irq_handler_entry (args[1], (uintptr_t)args[1]->handler, args[1]->dev_id, args[0]);

	/* The driver has looked: as interrupt-start has it, and arg4 is 1 if it was its device. */
	probe interrupt-complete(struct irqaction *A, uintptr_t handler, void *told, int irq, int mine)
		= rawtp:::irq_handler_exit (args[1], (uintptr_t)args[1]->handler, args[1]->dev_id, args[0], args[2]);
};
